/** The client of SDK v1 over Streamable HTTP, whose call can be watched while its server is stopped. */
import { setTimeout as pause } from "node:timers/promises";
import { acceptBy } from "../clients/answers.ts";
import { httpV1 } from "../clients/connections.ts";
import { formsOnly } from "../clients/sdk-client.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { Later } from "./later.ts";

/** The result of a call, or its error. A call that is awaited later must not be rejected before. */
export type Outcome = { readonly result: { readonly [field: string]: unknown } } | { readonly error: Error };

export interface SessionOptions {
  /** The answer to a question by its message. A promise that stays pending leaves the question open. */
  readonly answer: (message: string) => unknown;
  /** Sends the requests; the default sends each to the URL of the server. */
  readonly fetch?: typeof fetch;
}

/** Leaves a question open. */
export const never = (): Promise<never> => new Promise(() => {});

export class SessionClient {
  readonly #client: SdkV1Client;
  #outcome: Outcome | undefined;
  readonly #begun = new Later<void>();

  private constructor(client: SdkV1Client) {
    this.#client = client;
  }

  static async connect(url: string, { answer, fetch: send = fetch }: SessionOptions): Promise<SessionClient> {
    const client = new SdkV1Client(
      httpV1(url, { fetch: send, reconnection: { delay: 100, attempts: 100 } }),
      { capabilities: formsOnly, answer: acceptBy(answer), failsWhenDisconnected: true },
    );
    await client.connect();
    return new SessionClient(client);
  }

  /** The messages of the questions that have reached the client, in their order. */
  get asked(): readonly string[] {
    return this.#client.questions.map(({ message }) => String(message));
  }

  /** Calls a tool. The returned promise is not rejected. */
  async call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<Outcome> {
    this.#outcome = undefined;
    this.#outcome = await this.#outcomeOf(name, input);
    return this.#outcome;
  }

  /** Resolves when the first event of the first call has arrived: from then on the client can resume the stream. */
  get begun(): Promise<void> {
    return this.#begun.given;
  }

  /** Resolves when the question has arrived. Throws if the call ends before. */
  async untilAsked(message: string): Promise<void> {
    while (!this.asked.includes(message)) {
      if (this.#outcome !== undefined)
        throw new Error(`The call has ended before "${message}" was asked: ${textOf(this.#outcome)}`);
      await pause(10);
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #outcomeOf(name: string, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    try {
      const { structured, ...result } = await this.#client.call(name, input, {
        onprogress() {},
        onBegun: () => this.#begun.give(),
      });
      return { result: { ...result, structuredContent: structured } };
    } catch (error) {
      return { error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
}

const textOf = (outcome: Outcome): string =>
  "error" in outcome ? outcome.error.message : JSON.stringify(outcome.result);

/** Whether a request carries the answer to a question. */
export const isAnswer = (init: RequestInit | undefined): boolean =>
  typeof init?.body === "string" && "result" in (JSON.parse(init.body) as object);

/** Whether a request reads the rest of a stream that broke off. */
export const isReconnection = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).has("last-event-id");
