/** Results as 2026-07-28 has them: each says what kind it is, and who gave it. Pure. */
import type { Settings } from "../settings.ts";
import { SERVER_INFO } from "./envelope.ts";
import type { InputRequest } from "./input-requests.ts";
import { MODERN } from "./revisions.ts";
import type { Wire } from "../jsonrpc/messages.ts";

type About = Pick<Settings, "name" | "version" | "title" | "instructions">;

/** What kind of result asks for more. */
const INPUT_REQUIRED = "input_required";

/** How long results other than lists may be kept: whatever they say may change at any time. */
const NOT_AT_ALL = 0;

/** Puts on a result what every result says: what kind it is, complete unless it says otherwise, and who gave it. */
export function stampOf({ name, version, title }: About): (result: Wire) => Wire {
  const stamp = { [SERVER_INFO]: { name, version, ...(title === undefined ? {} : { title }) } };
  return (result) => {
    const meta = result["_meta"];
    const whole = typeof meta === "object" ? { ...meta, ...stamp } : stamp;
    return { resultType: "complete", ...result, _meta: whole };
  };
}

/** The call ends here; the client calls again, with the answers and the state. */
export function inputRequiredResult(
  inputRequests: { readonly [key: string]: InputRequest },
  requestState: string,
): Wire {
  return { resultType: INPUT_REQUIRED, inputRequests, requestState };
}

/** The server stops before it has an answer. The client sends the request again with the state, and any process continues it. */
export const retryResult = (requestState: string): Wire => ({ resultType: INPUT_REQUIRED, requestState });

/** The result of a method; where it is something to keep, it says for how long, and by whom. */
export function cached(method: string, result: Wire, { cacheFor }: Pick<Settings, "cacheFor">): Wire {
  if (method === "resources/read" && result["resultType"] !== INPUT_REQUIRED)
    return { ...result, ttlMs: NOT_AT_ALL, cacheScope: "private" };
  if (method === "server/discover" || method.endsWith("/list"))
    return { cacheScope: "public", ...result, ttlMs: cacheFor };
  return result;
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
