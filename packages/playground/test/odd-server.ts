/** A server that says whatever it is told to, right or wrong, over WebSocket and over HTTP. */
import { createServer, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import type { Settings } from "../src/desk/connection.ts";
import { Tab } from "./tab.ts";

export type Asked = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
};
/** Says something back: any number of texts. */
export type Say = (...texts: readonly unknown[]) => void;

const TOOL = { name: "odd", inputSchema: { type: "object" } };

/** What every server must say, so that there is something to call. */
const NEEDED: Readonly<Record<string, unknown>> = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, prompts: {} } },
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: "odd", version: "1" },
  },
  "tools/list": { tools: [TOOL, "no tool", { inputSchema: {} }] },
};

export const needed = (method: string): unknown => NEEDED[method];

/** `answer` says what is said to everything that `known` has nothing for. */
export async function oddServer(
  settings: Partial<Settings>,
  answer: (asked: Asked, say: Say) => void,
  known: (method: string) => unknown = needed,
): Promise<Tab> {
  const hear = (text: string, say: Say): void => {
    const asked = JSON.parse(text) as Asked;
    const result = known(asked.method ?? "");
    if (result === undefined) answer(asked, say);
    else say({ jsonrpc: "2.0", id: asked.id, result });
  };
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      begin(response);
      hear(Buffer.concat(parts).toString(), (...texts) => {
        for (const text of texts) response.write(`data: ${spelled(text)}\n\n`);
      });
    });
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      hear(data.toString(), (...texts) => {
        for (const text of texts) socket.send(spelled(text));
      });
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const address = http.address();
  const tab = new Tab(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, settings);
  onTestFinished(() => {
    tab.close();
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
    http.close();
  });
  return tab;
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

const spelled = (text: unknown): string => (typeof text === "string" ? text : JSON.stringify(text));
