/** A server that lies: Photon's own page, under its own policy, and behind it whatever a test wants to be said. */
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { readPlayground } from "../../packages/server/src/app/playground.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params: Fields;
}

export interface Lies {
  /** What it calls itself. */
  readonly name?: string;
  readonly instructions?: string;
  readonly tools?: readonly Fields[];
  readonly prompts?: readonly Fields[];
  readonly resources?: readonly Fields[];
  /** What comes of a call: any number of messages, the last of which is its result. */
  readonly call?: (asked: Asked) => Iterable<Fields>;
}

/** A tool of which nothing is strange but what a test makes so. */
export const odd = (fields: Fields): Fields => ({ name: "odd", inputSchema: { type: "object" }, ...fields });

export const result = (fields: Fields): Fields => ({ result: { resultType: "complete", ...fields } });

export const said = (text: string): Fields => result({ content: [{ type: "text", text }] });

/** Ends the request with one question, which is to be answered with the next. */
export const asks = (params: Fields, details: Fields = {}): Fields => ({
  result: {
    resultType: "input_required",
    requestState: "state",
    inputRequests: { question: { method: "elicitation/create", params } },
    _meta: { "photon/questions": { question: details } },
  },
});

export async function hostileServer(lies: Lies): Promise<{ readonly url: string }> {
  const playground = await readPlayground();
  const http = createServer((request, response) => {
    if (playground(request.url ?? "", request, response)) return;
    // The page asks there whether there is an inbox.
    if (request.url === "/healthz") response.end(JSON.stringify({ status: "ok" }));
    else response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ server: http, path: "/mcp" });
  sockets.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      // The page under test has sent it.
      const asked = JSON.parse(data.toString()) as Asked;
      for (const message of answersTo(asked, lies)) socket.send(JSON.stringify(message));
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
    http.close();
  });
  const address = http.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
}

function* answersTo(asked: Asked, lies: Lies): Generator<Fields> {
  const { id, method } = asked;
  const { name = "hostile", instructions, tools = [], prompts = [], resources = [] } = lies;
  const listed: Readonly<Record<string, Fields>> = {
    "server/discover": {
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions,
      _meta: { "io.modelcontextprotocol/serverInfo": { name, version: name } },
    },
    "tools/list": { tools },
    "prompts/list": { prompts },
    "resources/list": { resources },
    "resources/templates/list": { resourceTemplates: [] },
  };
  const known = listed[method];
  if (known !== undefined) yield { jsonrpc: "2.0", id, result: known };
  else if (/^(tools\/call|prompts\/get|resources\/read)$/.test(method))
    for (const message of lies.call?.(asked) ?? [])
      yield { jsonrpc: "2.0", ...("method" in message ? {} : { id }), ...message };
}
