/** The thin server over HTTP: `/mcp` with POST, `/sse` with `/messages`, and WebSocket upgrades. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { WebSocketServer } from "ws";
import { handleMessage, type Message, type Send } from "./thin-server.ts";

const STREAM = { "content-type": "text/event-stream", "cache-control": "no-cache" };

/** The event stream of each SSE client, by its endpoint. */
const streams = new Map<string, Send>();
let sessions = 0;

export function serveThinHttp(port: number, ready: () => void): void {
  const server = createServer((request, response) => {
    if (request.method === "GET") return openStream(response);
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    // Not validated.
    request.on("end", () => receive(JSON.parse(body) as Message, request, response));
  });
  new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket) => {
    const send = (message: object): void => socket.send(JSON.stringify(message));
    // A text frame arrives as one Buffer. The message is not validated.
    socket.on("message", (frame) =>
      handleMessage(JSON.parse((frame as Buffer).toString("utf8")) as Message, send),
    );
  });
  server.listen(port, "127.0.0.1", ready);
}

function receive(message: Message, { url = "" }: IncomingMessage, response: ServerResponse): void {
  const { id, method } = message;
  const stream = streams.get(url);
  if (stream !== undefined) {
    response.writeHead(202).end();
    handleMessage(message, stream);
  } else if (id === undefined || method === undefined) {
    response.writeHead(202).end();
    handleMessage(message, () => {});
  } else handleMessage(message, sendAsResponse(message, response));
}

/** Responds with JSON if the result is the first message, and else with an event stream. */
function sendAsResponse({ id, method }: Message, response: ServerResponse): Send {
  const session = method === "initialize" ? { "mcp-session-id": String(sessions++) } : {};
  return (message) => {
    const isLast = "result" in message && (message as Message).id === id;
    const text = JSON.stringify(message);
    if (isLast && !response.headersSent) {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
      response.writeHead(200, { ...headers, ...session }).end(text);
      return;
    }
    if (!response.headersSent) response.writeHead(200, STREAM);
    const event = `event: message\ndata: ${text}\n\n`;
    if (isLast) response.end(event);
    else response.write(event);
  };
}

function openStream(response: ServerResponse): void {
  const address = `/messages?session=${sessions++}`;
  streams.set(
    address,
    (message) => void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
  );
  response.writeHead(200, STREAM).write(`event: endpoint\ndata: ${address}\n\n`);
}
