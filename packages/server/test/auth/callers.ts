/** Two who are known by their tokens, and one who is not. */
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

export const tokens = { ada: "the-token-of-ada-lovelace", eve: "the-token-of-eve-the-other" } as const;

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
});

export interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: () => Promise<string>;
}

/** Sends a request, with whatever headers; the answer may be a stream. */
export async function send(
  url: string,
  method: string,
  headers: { readonly [name: string]: string },
  body?: unknown,
): Promise<Got> {
  const request = httpRequest(url, { method, headers, agent: false });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return {
    status: response.statusCode,
    headers: response.headers,
    async body() {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
      return text;
    },
  };
}

const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;

export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: { form: {}, url: {} } },
    clientInfo: { name: "raw", version: "1" },
  },
};

/** What a request that stands alone has. */
export const discover = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

export function post(
  url: string,
  message: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<Got> {
  return send(url, "POST", { ...JSON_HEADERS, ...headers }, message);
}

/** The headers that a request of 2026-07-28 has beside. */
export const modernHeaders = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
