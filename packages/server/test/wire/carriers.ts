/** The ways a raw client is carried: each by the plainest means there is. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { createParser } from "eventsource-parser";
import { WebSocket } from "ws";
import { Inbox } from "./inbox.ts";
import { RawClient } from "./raw-client.ts";

/** Over a socket that carries lines, as stdio does. */
export async function overLines(port: number): Promise<RawClient & { readonly socket: Socket }> {
  const socket = connectSocket(port, "127.0.0.1");
  await once(socket, "connect");
  const inbox = new Inbox();
  readLines(socket, (line) => inbox.push(JSON.parse(line)));
  const gone = once(socket, "close").then(() => inbox.end("the socket is closed"));
  const client = new RawClient(
    {
      async sendText(text) {
        socket.write(`${text}\n`);
      },
      async hangUp() {
        socket.end();
        await gone;
      },
      gone,
    },
    inbox,
  );
  return Object.assign(client, { socket });
}

/** Calls back with each line. */
export function readLines(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}

/** A client that can be gone without a word. */
export interface Fleeting extends RawClient {
  vanish(): Promise<void>;
}

/** Over a WebSocket; what was offered as subprotocol can be changed, or all of the socket. */
export async function overWebSocket(
  url: string,
  protocols: readonly string[] = ["mcp"],
  socket: WebSocket = new WebSocket(`${url.replace("http", "ws")}/mcp`, [...protocols]),
): Promise<Fleeting & { readonly socket: WebSocket }> {
  await once(socket, "open");
  const inbox = new Inbox();
  socket.on("message", (data) => inbox.push(JSON.parse((data as Buffer).toString("utf8"))));
  socket.on("error", () => {});
  const gone = once(socket, "close").then(() => inbox.end("the socket is closed"));
  const client = new RawClient(
    {
      async sendText(text) {
        socket.send(text);
      },
      async hangUp() {
        socket.close();
        await gone;
      },
      gone,
    },
    inbox,
  );
  const vanish = async (): Promise<void> => {
    socket.terminate();
    await gone;
  };
  return Object.assign(client, { socket, vanish });
}

/** Over an event stream and posts to the address it names. */
export async function overSse(url: string, path = "/sse"): Promise<RawClient & { readonly address: string }> {
  const ending = new AbortController();
  const stream = await fetch(`${url}${path}`, { signal: ending.signal });
  const inbox = new Inbox();
  let named: (address: string) => void = () => {};
  const address = new Promise<string>((resolve) => {
    named = resolve;
  });
  const gone = readEvents(stream, ({ event, data }) => {
    if (event === "endpoint") named(data);
    else inbox.push(JSON.parse(data));
  }).then(() => inbox.end("the stream has ended"));
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
        if (!answer.ok) inbox.push(JSON.parse(body));
      },
      async hangUp() {
        ending.abort();
        await gone;
      },
      gone,
    },
    inbox,
  );
  return Object.assign(client, { address: await address });
}

export interface StreamedEvent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data: string;
}

/** Calls back with each event of a response; settles when it has ended or broken off. */
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
    // Broken off, by either side.
  }
}

export interface HttpClient extends Fleeting {
  /** The headers of a request that belongs to the session. */
  headers(): Record<string, string>;
  /** Loses every stream that is open, and comes back to each where it broke off. */
  reconnect(): Promise<void>;
}

/** Over Streamable HTTP, by `node:http`: a `fetch` costs more than all that is tested. Hanging up is DELETE. */
export async function overHttp(url: string, path = "/mcp", localAddress?: string): Promise<HttpClient> {
  const inbox = new Inbox();
  const agent = new Agent({ keepAlive: true, ...(localAddress !== undefined && { localAddress }) });
  /** The streams that are open, and the last event of each. */
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
  /** Settles when it is answered; where that is a stream, when the stream begins. */
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
          if (data !== "") inbox.push(JSON.parse(data));
        },
      });
      answer.on("data", (chunk: string) => parser.feed(chunk));
      answer.on("error", () => {});
      answer.once("close", () => streams.delete(answer));
      return;
    }
    let body = "";
    for await (const chunk of answer) body += chunk as string;
    if (body !== "") inbox.push(JSON.parse(body));
  };
  /** Loses every stream; gives the last event of each. */
  const drop = (): readonly (string | undefined)[] => {
    const lost = [...streams];
    streams.clear();
    for (const [answer] of lost) answer.destroy();
    return lost.map(([, last]) => last);
  };
  const vanish = async (): Promise<void> => {
    drop();
    agent.destroy();
    inbox.end("the client is gone");
    end();
  };
  const client = new RawClient(
    {
      sendText: (text) => fetchInto("POST", text),
      async hangUp() {
        if (session !== undefined) await fetchInto("DELETE", "");
        await vanish();
      },
      gone,
    },
    inbox,
  );
  const reconnect = async (): Promise<void> => {
    for (const last of drop())
      await fetchInto("GET", "", last === undefined ? {} : { "last-event-id": last });
  };
  return Object.assign(client, { headers, reconnect, vanish });
}
