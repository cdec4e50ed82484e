/** A client on a session over Streamable HTTP that loses its stream when the test says so, and comes back to the process that the test names. */
import { createParser } from "eventsource-parser";
import { onTestFinished } from "vitest";
import type { Message } from "./messages.ts";

const VERSION = "2025-11-25";

/** A response of the server: a stream of messages, or a refusal. */
export class ReceivedStream {
  readonly status: number;
  readonly received: Message[] = [];
  /** The id of the last event. */
  lastId: string;
  readonly #cut: () => void;
  readonly #waiting = new Set<() => void>();
  #isEnded = false;

  constructor(response: Response, lastId: string, cut: () => void) {
    this.status = response.status;
    this.lastId = lastId;
    this.#cut = cut;
    void this.#read(response);
    onTestFinished(() => this.cut());
  }

  /** Breaks the connection. What arrives afterwards is ignored. */
  cut(): void {
    this.#isEnded = true;
    this.#cut();
  }

  /** The next question or response that was not taken yet; nothing, where the stream ends before. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const index = this.received.findIndex(
        ({ method, id }) => method === "elicitation/create" || (method === undefined && id !== undefined),
      );
      if (index >= 0) return this.received.splice(index, 1)[0];
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  /** The id of the first event, where the server gives one before anything is said. */
  async primed(): Promise<string> {
    while (this.lastId === "" && !this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    return this.lastId;
  }

  async #read(response: Response): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, data }) => {
        if (this.#isEnded) return;
        this.lastId = id ?? this.lastId;
        if (data !== "") this.received.push(JSON.parse(data) as Message);
        this.#wake();
      },
    });
    try {
      const isStream = (response.headers.get("content-type") ?? "").includes("event-stream");
      if (isStream && response.body !== null)
        for await (const text of response.body.pipeThrough(new TextDecoderStream())) parser.feed(text);
    } catch {
      // It was cut.
    }
    this.#isEnded = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

export class ResumingClient {
  #session = "";

  static async connect(url: string): Promise<ResumingClient> {
    const client = new ResumingClient();
    const capabilities = { elicitation: {} };
    const params = { protocolVersion: VERSION, capabilities, clientInfo: { name: "resuming", version: "1" } };
    const response = await client.#fetch(url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: "begin", method: "initialize", params }),
    });
    client.#session = response.headers.get("mcp-session-id") ?? "";
    await response.text();
    await client.send(url, { method: "notifications/initialized" });
    return client;
  }

  /** Sends a message that has no response; gives the status. */
  async send(url: string, message: object): Promise<number> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const response = await this.#fetch(url, { method: "POST", body });
    await response.text();
    return response.status;
  }

  answer(url: string, { id }: Message, value: unknown): Promise<number> {
    return this.send(url, { id, result: { action: "accept", content: { value } } });
  }

  call(url: string, id: number, name: string): Promise<ReceivedStream> {
    const params = { name, arguments: {} };
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
    return this.#open(url, { method: "POST", body }, "");
  }

  /** Comes back for what was sent after an event. */
  comeBack(url: string, lastId: string): Promise<ReceivedStream> {
    return this.#open(url, { method: "GET" }, lastId);
  }

  async #open(url: string, init: RequestInit, lastId: string): Promise<ReceivedStream> {
    const abort = new AbortController();
    const response = await this.#fetch(url, { ...init, signal: abort.signal }, lastId);
    return new ReceivedStream(response, lastId, () => abort.abort());
  }

  #fetch(url: string, init: RequestInit, lastId = ""): Promise<Response> {
    return fetch(`${url}/mcp`, {
      ...init,
      headers: {
        accept: init.method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": VERSION,
        ...(this.#session !== "" && { "mcp-session-id": this.#session }),
        ...(lastId !== "" && { "last-event-id": lastId }),
      },
    });
  }
}
