/** The handshake of a session: `initialize`, by which the client and the server agree on a revision. Pure. */
import type { Client } from "@photon/core";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import type { Params } from "../jsonrpc/messages.ts";
import {
  clientForTools,
  type DeclaredClient,
  declaredClient,
  unknownClient,
} from "../protocol/client-info.ts";
import { type Features, featuresOf, negotiate, type Revision } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";

export interface Handshake {
  readonly features: Features;
  /** The client as its `initialize` declares it. */
  readonly declared: DeclaredClient;
  /** The client as tools see it. */
  readonly client: Client;
}

export const createHandshake = (revision: Revision, declared: DeclaredClient): Handshake => ({
  features: featuresOf(revision, declared.can.url),
  declared,
  client: clientForTools(declared),
});

/** What a session assumes before `initialize`. */
export const noHandshake = ({ maxRevision }: Settings): Handshake =>
  createHandshake(negotiate(undefined, maxRevision), unknownClient);

/** Parses the parameters of `initialize`, and chooses the revision. */
export function parseInitialize(params: Params, { maxRevision }: Settings): Handshake {
  const { protocolVersion } = params;
  if (typeof protocolVersion !== "string") throw new RpcError(INVALID_PARAMS, "protocolVersion is a text.");
  return createHandshake(negotiate(protocolVersion, maxRevision), declaredClient(params));
}
