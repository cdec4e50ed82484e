/** What carries raw clients, each by the simplest means: HTTP, HTTP+SSE, WebSocket, and a socket in place of stdin and stdout. */
import { once } from "node:events";
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { createParser } from "eventsource-parser";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { MessageQueue, type Fields, type Message } from "./messages.ts";
import { META, RawClient, type Reply, type Headers, type StatelessCarrier } from "./raw-client.ts";

/** Over a socket with one message per line, as over stdio. */
export async function overLines(port: number): Promise<RawClient & { readonly socket: Socket }> {
  const socket = connectSocket(port, "127.0.0.1");
  await once(socket, "connect");
  const messages = new MessageQueue();
  readLines(socket, (line) => messages.push(JSON.parse(line)));
  const gone = once(socket, "close").then(() => messages.end("the socket is closed"));
  const client = new RawClient(
    {
      async sendText(text) {
        socket.write(`${text}\n`);
      },
      async close() {
        socket.end();
        await gone;
      },
      gone,
    },
    messages,
  );
  return Object.assign(client, { socket });
}

/** Calls `take` with each line. */
export function readLines(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}

/** A client whose connection can be cut. */
export interface CuttableClient extends RawClient {
  cut(): Promise<void>;
}

/** Over a WebSocket, with other subprotocols or another socket if the test needs them. */
export async function overWebSocket(
  url: string,
  protocols: readonly string[] = ["mcp"],
  socket: WebSocket = new WebSocket(`${url.replace("http", "ws")}/mcp`, [...protocols]),
): Promise<CuttableClient & { readonly socket: WebSocket }> {
  await once(socket, "open");
  const messages = new MessageQueue();
  socket.on("message", (data) => messages.push(JSON.parse((data as Buffer).toString("utf8"))));
  socket.on("error", () => {});
  const gone = once(socket, "close").then(() => messages.end("the socket is closed"));
  const client = new RawClient(
    {
      async sendText(text) {
        socket.send(text);
      },
      async close() {
        socket.close();
        await gone;
      },
      gone,
    },
    messages,
  );
  const cut = async (): Promise<void> => {
    socket.terminate();
    await gone;
  };
  return Object.assign(client, { socket, cut });
}

/** Over HTTP+SSE. */
export async function overSse(url: string, path = "/sse"): Promise<RawClient & { readonly address: string }> {
  const ending = new AbortController();
  const stream = await fetch(`${url}${path}`, { signal: ending.signal });
  const messages = new MessageQueue();
  let named: (address: string) => void = () => {};
  const address = new Promise<string>((resolve) => {
    named = resolve;
  });
  const gone = readEvents(stream, ({ event, data }) => {
    if (event === "endpoint") named(data);
    else messages.push(JSON.parse(data));
  }).then(() => messages.end("the stream has ended"));
  const target = `${url}${await address}`;
  const client = new RawClient(
    {
      async sendText(text) {
        const answer = await fetch(target, {
          method: "POST",
          body: text,
          headers: { "content-type": "application/json" },
        });
        const body = await answer.text();
        if (!answer.ok) messages.push(JSON.parse(body));
      },
      async close() {
        ending.abort();
        await gone;
      },
      gone,
    },
    messages,
  );
  return Object.assign(client, { address: await address });
}

export interface StreamedEvent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data: string;
}

/** Calls `take` with each event of a response. Resolves when the stream has ended or was cut. */
export async function readEvents(
  response: Response,
  take: (event: StreamedEvent) => void,
  also: { readonly onComment?: (comment: string) => void; readonly onRetry?: (wait: number) => void } = {},
): Promise<void> {
  const parser = createParser({ onEvent: take, ...also });
  try {
    const text = response.body?.pipeThrough(new TextDecoderStream());
    for await (const chunk of text ?? []) parser.feed(chunk);
  } catch {
    // The stream was cut, by either side.
  }
}

export interface HttpClient extends CuttableClient {
  /** The headers of a request of the session. */
  headers(): Record<string, string>;
  /** Cuts every open stream, and resumes each after its last event. */
  reconnect(): Promise<void>;
}

/** Over Streamable HTTP, on a session. With `node:http`, because `fetch` is slower than the server. `close` sends DELETE. */
export async function overHttp(url: string, path = "/mcp", localAddress?: string): Promise<HttpClient> {
  const messages = new MessageQueue();
  const agent = new Agent({ keepAlive: true, ...(localAddress !== undefined && { localAddress }) });
  /** The open streams, and the id of the last event of each. */
  const streams = new Map<IncomingMessage, string | undefined>();
  let session: string | undefined;
  let end = (): void => {};
  const gone = new Promise<void>((resolve) => {
    end = resolve;
  });
  const headers = (): Record<string, string> => ({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
  });
  /** Resolves when the response has arrived, or its stream has begun. */
  const fetchInto = async (
    method: string,
    text: string,
    more: Record<string, string> = {},
  ): Promise<void> => {
    const request = httpRequest(`${url}${path}`, { method, agent, headers: { ...headers(), ...more } });
    request.end(text);
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    const id = answer.headers["mcp-session-id"];
    if (typeof id === "string") session ??= id;
    answer.setEncoding("utf8");
    if (answer.headers["content-type"] === "text/event-stream") {
      streams.set(answer, undefined);
      const parser = createParser({
        onEvent({ id: last, data }) {
          if (streams.has(answer)) streams.set(answer, last);
          if (data !== "") messages.push(JSON.parse(data));
        },
      });
      answer.on("data", (chunk: string) => parser.feed(chunk));
      answer.on("error", () => {});
      answer.once("close", () => streams.delete(answer));
      return;
    }
    let body = "";
    for await (const chunk of answer) body += chunk as string;
    if (body !== "") messages.push(JSON.parse(body));
  };
  /** Cuts every stream. Returns the id of the last event of each. */
  const drop = (): readonly (string | undefined)[] => {
    const lost = [...streams];
    streams.clear();
    for (const [answer] of lost) answer.destroy();
    return lost.map(([, last]) => last);
  };
  const cut = async (): Promise<void> => {
    drop();
    agent.destroy();
    messages.end("the client is gone");
    end();
  };
  const client = new RawClient(
    {
      sendText: (text) => fetchInto("POST", text),
      async close() {
        if (session !== undefined) await fetchInto("DELETE", "");
        await cut();
      },
      gone,
    },
    messages,
  );
  const reconnect = async (): Promise<void> => {
    for (const last of drop())
      await fetchInto("GET", "", last === undefined ? {} : { "last-event-id": last });
  };
  return Object.assign(client, { headers, reconnect, cut });
}

/** The parameter with the name of what is called, by method. */
const NAMES: Headers = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** The headers that 2026-07-28 requires. */
export function headersFor({ method = "", params = {} }: Message): Headers {
  const name = params[NAMES[method] ?? ""];
  const version = (params["_meta"] as Fields | undefined)?.[META.version];
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": typeof version === "string" ? version : "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": inHeader(name) } : {}),
  };
}

/** A text, encoded if a header cannot hold it. */
export const inHeader = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** Over HTTP without a session, with additional headers, and from a local address. */
export function overStatelessHttp(url: string, more: Headers = {}, localAddress?: string): StatelessCarrier {
  const agent = new Agent({ keepAlive: true, ...(localAddress !== undefined && { localAddress }) });
  onTestFinished(() => agent.destroy());
  return {
    begin(message, headers, serialize = JSON.stringify) {
      const request = httpRequest(`${url}/mcp`, {
        method: "POST",
        agent,
        headers: present({ ...headersFor(message), ...more, ...headers }),
      });
      request.end(serialize(message));
      const messages = new MessageQueue();
      return { id: message.id, messages, received: answerTo(request, messages), leave: () => leave(request) };
    },
    async close() {
      agent.destroy();
    },
  };
}

export const present = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined));

async function leave(request: ClientRequest): Promise<void> {
  const closed = new Promise((resolve) => {
    request.once("close", resolve);
  });
  request.on("error", () => {});
  request.destroy();
  if (!request.closed) await closed;
}

async function answerTo(request: ClientRequest, messages: MessageQueue): Promise<Reply> {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { statusCode = 0, headers } = response;
  const isStream = headers["content-type"] === "text/event-stream";
  const parser = createParser({ onEvent: ({ data }) => messages.push(JSON.parse(data)) });
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response as AsyncIterable<string>) {
    if (isStream) parser.feed(chunk);
    else text += chunk;
  }
  if (!isStream && text !== "") messages.push(JSON.parse(text));
  const all = messages.all as readonly Message[];
  const answer = all.at(-1) ?? {};
  return { answer, told: all.slice(0, -1), status: statusCode, headers };
}

/** Over the connection of a `RawClient`, which may have a session too. */
export function overConnection(client: RawClient): StatelessCarrier {
  return {
    begin(message, _, serialize = JSON.stringify) {
      const { id } = message;
      const from = client.messages.all.length;
      void client.sendText(serialize(message));
      const received = client.answerTo(id).then((answer) => {
        const all = client.messages.all.slice(from) as readonly Message[];
        const told = all.slice(0, all.indexOf(answer)).filter(({ method }) => method !== undefined);
        return { answer, told };
      });
      return {
        id,
        messages: client.messages,
        received,
        leave: () => client.notify("notifications/cancelled", { requestId: id }),
      };
    },
    close: () => client.close(),
  };
}
