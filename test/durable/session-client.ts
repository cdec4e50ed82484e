/** The SDK's client of 2025-11-25 over Streamable HTTP, and the questions that reach it. */
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { Later } from "./later.ts";

type Value = string | number | boolean;

/** What a call has come to. A call that is awaited later must not be rejected before. */
export type Outcome = { readonly result: { readonly [field: string]: unknown } } | { readonly error: Error };

export interface SessionOptions {
  /** The answer to a question by its message; one that never settles leaves the question open. */
  readonly answer: (message: string) => Value | Promise<Value>;
  /** Sends the requests; the default sends each to the URL of the server. */
  readonly fetch?: typeof fetch;
}

/** Leaves a question open. */
export const never = (): Promise<never> => new Promise(() => {});

export class SessionClient {
  readonly #client: Client;
  /** The messages of the questions that reached the client, in their order. */
  readonly asked: string[];
  /** What its last call has come to, once it has. */
  #ended: Outcome | undefined;
  readonly #begun = new Later<void>();
  readonly #onGivenUp: Promise<never>;

  private constructor(client: Client, asked: string[]) {
    this.#client = client;
    this.asked = asked;
    // The SDK's client reports that it reconnects no more to `onerror`, and leaves the call open.
    this.#onGivenUp = new Promise((_, reject) => {
      const onerror = (error: Error): void => {
        if (error.message.startsWith("Maximum reconnection attempts")) reject(error);
      };
      Object.assign(client, { onerror });
    });
    this.#onGivenUp.catch(() => {});
  }

  static async connect(url: string, { answer, fetch: send = fetch }: SessionOptions): Promise<SessionClient> {
    const client = new Client({ name: "session", version: "1" }, { capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }): Promise<ElicitResult> => {
      asked.push(params.message);
      return { action: "accept", content: { value: await answer(params.message) } };
    });
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      fetch: send,
      reconnectionOptions: {
        initialReconnectionDelay: 100,
        maxReconnectionDelay: 100,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 100,
      },
    });
    await client.connect(transport);
    return new SessionClient(client, asked);
  }

  /** Calls a tool, and gives what comes of it. */
  async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Outcome> {
    this.#ended = undefined;
    this.#ended = await this.#outcomeOf(name, given);
    return this.#ended;
  }

  /** Settles when the first event of its first call has arrived: from then on the client can come back. */
  get begun(): Promise<void> {
    return this.#begun.given;
  }

  /** Settles when the client has been asked; throws where its call ends before. */
  async untilAsked(message: string): Promise<void> {
    while (!this.asked.includes(message)) {
      if (this.#ended !== undefined)
        throw new Error(`The call has ended before "${message}" was asked: ${shown(this.#ended)}`);
      await pause(10);
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #outcomeOf(name: string, given: Readonly<Record<string, unknown>>): Promise<Outcome> {
    try {
      const calling = this.#client.callTool({ name, arguments: given }, undefined, {
        onprogress() {},
        onresumptiontoken: () => this.#begun.give(),
      });
      return { result: await Promise.race([calling, this.#onGivenUp]) };
    } catch (error) {
      return { error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
}

const shown = (outcome: Outcome): string =>
  "error" in outcome ? outcome.error.message : JSON.stringify(outcome.result);

/** Whether a request carries the answer to a question. */
export const isAnswer = (init: RequestInit | undefined): boolean =>
  typeof init?.body === "string" && "result" in (JSON.parse(init.body) as object);

/** Whether a request reads the rest of a stream that broke off. */
export const isReconnection = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).has("last-event-id");
