/** A session over Streamable HTTP, message by message: each goes to whichever process it is sent to. */

const VERSION = "2025-11-25";

/** What a request was answered with; of a stream or a result, that it was. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly error: { readonly code?: number; readonly message?: string };
}

export async function send(url: string, method: string, session?: string, body?: object): Promise<Told> {
  const response = await fetch(`${url}/mcp`, {
    method,
    headers: {
      accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      ...(body && { "content-type": "application/json" }),
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
    ...(body && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) }),
  });
  const { status, headers } = response;
  const text = status === 200 ? "" : await response.text();
  if (status === 200) await response.body?.cancel();
  return { status, headers, error: text === "" ? {} : (JSON.parse(text) as Pick<Told, "error">).error };
}

export const begin = (url: string): Promise<Told> =>
  send(url, "POST", undefined, {
    method: "initialize",
    params: {
      protocolVersion: VERSION,
      capabilities: { elicitation: {} },
      clientInfo: { name: "raw", version: "1" },
    },
  });

export const sessionIn = ({ headers }: Told): string => headers.get("mcp-session-id") ?? "";

export const list = (url: string, session: string): Promise<Told> =>
  send(url, "POST", session, { method: "tools/list" });
