/** POST, as every revision of Streamable HTTP has it. */
import type { Headers } from "./channel.ts";
import type { Outgoing } from "./message.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Address {
  readonly url: URL;
  readonly token: string;
}

export function post(
  { url, token }: Address,
  message: Outgoing,
  headers: Headers,
  { fetch }: Pick<Surroundings, "fetch">,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url.href, {
    method: "POST",
    headers: {
      ...headers,
      ...bearer(token),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(message),
    signal,
  });
}

export const bearer = (token: string): Headers => (token === "" ? {} : { authorization: `Bearer ${token}` });

/** Why a server turned us away as a whole, if it did. */
export function refusalIn({ status }: Response, { token }: Address, text: string): string | undefined {
  if (status === 401)
    return token === "" ? "This server wants a token." : "This server does not take that token.";
  return status === 403 ? `This server does not take this page: ${sentenceIn(text)}` : undefined;
}

/** What a server says in words, where it answers with something that is no message of ours. */
export function sentenceIn(text: string): string {
  const [, message] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text.slice(0, 4096)) ?? [];
  // What the expression lets through is a JSON string, or nothing that parses.
  try {
    return message === undefined ? text.slice(0, 200) : String(JSON.parse(message));
  } catch {
    return text.slice(0, 200);
  }
}
