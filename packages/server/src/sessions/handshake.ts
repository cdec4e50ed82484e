/** What a server and its client agree on first, by `initialize`. Pure. */
import { declaredClient, type DeclaredClient } from "../protocol/client-info.ts";
import { type Features, featuresOf, negotiate } from "../protocol/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import type { Params, Wire } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";

export interface Agreed {
  readonly features: Features;
  readonly client: DeclaredClient;
  /** What the client is told. */
  readonly result: Wire;
}

export function shakeHands(params: Params, settings: Settings): Agreed {
  if (typeof params["protocolVersion"] !== "string")
    throw new RpcError(INVALID_PARAMS, "protocolVersion is a text.");
  const { name, version, title, instructions, maxRevision } = settings;
  const client = declaredClient(params);
  const features = featuresOf(negotiate(params["protocolVersion"], maxRevision), client.can.url);
  const result = {
    protocolVersion: features.revision,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      ...(features.since2503 ? { completions: {} } : {}),
    },
    serverInfo: { name, version, ...(title === undefined || !features.since2506 ? {} : { title }) },
    ...(instructions === undefined ? {} : { instructions }),
  };
  return { features, client, result };
}
