/** Results as 2026-07-28 has them: each says what kind it is, and who gave it. Pure. */
import type { Settings } from "../settings.ts";
import { SERVER_INFO } from "./envelope.ts";
import type { InputRequest } from "./input-requests.ts";
import { MODERN } from "./revisions.ts";
import type { Wire } from "../rpc/message.ts";

type About = Pick<Settings, "name" | "version" | "title" | "instructions">;

/** What kind of result asks for more. */
export const INPUT_REQUIRED = "input_required";

/** Where a result may be kept: by anybody, or for the one client that asked. */
type CacheScope = "public" | "private";

/** A result with what every result says: what kind it is, complete unless it says otherwise, and who gave it. */
export function stamped(result: Wire, { name, version, title }: About): Wire {
  return {
    resultType: "complete",
    ...result,
    _meta: {
      ...(typeof result["_meta"] === "object" ? result["_meta"] : {}),
      [SERVER_INFO]: { name, version, ...(title === undefined ? {} : { title }) },
    },
  };
}

/** The call ends here; the client calls again, with the answers and the state. */
export function inputRequiredResult(
  inputRequests: { readonly [key: string]: InputRequest },
  requestState: string,
): Wire {
  return { resultType: INPUT_REQUIRED, inputRequests, requestState };
}

/** Says how long a result may be kept, and by whom. */
export function cacheable(result: Wire, ttlMs: number, cacheScope: CacheScope): Wire {
  return { ...result, ttlMs, cacheScope };
}

/** What a server says of itself to whoever asks before anything else. */
export function discovery({ instructions }: About): Wire {
  return {
    supportedVersions: [MODERN],
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      completions: {},
    },
    ...(instructions === undefined ? {} : { instructions }),
  };
}
