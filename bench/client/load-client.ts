/**
 * The client that generates the load: it calls tools, answers their questions, and counts progress notifications, in both revisions.
 *
 * It parses each message and validates nothing, because the server is what is measured.
 */
import { callFormatter, type Call } from "./call-message.ts";
import type { Connection, ConnectionHandler, Revision } from "./connection.ts";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly progressToken?: number };
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
    readonly resultType?: string;
    readonly inputRequests?: object;
    readonly requestState?: string;
  };
}

interface PendingRequest {
  /** The number of progress notifications so far. */
  progressCount: number;
  readonly retry: (inputResponses: object, requestState: string | undefined) => void;
  readonly resolve: (progressCount: number) => void;
  readonly reject: (error: Error) => void;
}

const ANSWER = { action: "accept", content: { value: "Ada" } };

export class LoadClient implements ConnectionHandler {
  readonly #revision: Revision;
  readonly #leavesQuestionsOpen: boolean;
  readonly #pending = new Map<number | string, PendingRequest>();
  #connection: Connection | undefined;
  #nextId = 0;
  #failure: Error | undefined;
  #questionCount = 0;
  #waitingForQuestions: { readonly count: number; readonly resolve: () => void } | undefined;

  constructor(revision: Revision, leavesQuestionsOpen = false) {
    this.#revision = revision;
    this.#leavesQuestionsOpen = leavesQuestionsOpen;
  }

  /** Sets the connection. Opening a connection needs its handler, so the client is created first. */
  use(connection: Connection): this {
    this.#connection = connection;
    return this;
  }

  /** Returns a function that makes this call. It resolves with the number of progress notifications before the result. */
  prepare(call: Call): () => Promise<number> {
    const format = callFormatter(call, this.#revision);
    return () =>
      new Promise((resolve, reject) => {
        const id = this.#nextId++;
        const send = (retryParams?: object, as = id): void => this.#send(format(as, retryParams), call.tool);
        const pending: PendingRequest = {
          progressCount: 0,
          resolve,
          reject,
          retry: (inputResponses, requestState) => {
            const next = this.#nextId++;
            this.#pending.set(next, pending);
            send({ inputResponses, requestState }, next);
          },
        };
        this.#pending.set(id, pending);
        send();
      });
  }

  /** Sends a request other than a tool call. */
  request(method: string, params: object): Promise<number> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#pending.set(id, { progressCount: 0, resolve, reject, retry: () => {} });
      this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  notify(method: string): void {
    this.#send(JSON.stringify({ jsonrpc: "2.0", method }));
  }

  /** Resolves when the server has asked this many questions since the client was created. */
  asked(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waitingForQuestions = { count, resolve };
      this.#countQuestions(0);
    });
  }

  close(): void {
    this.#failure ??= new Error("The client was closed.");
    this.#connection?.close();
  }

  onMessage(text: string): void {
    // The servers of the bench send valid JSON-RPC. Anything else throws here.
    const message = JSON.parse(text) as Message;
    const { id, method, result, params } = message;
    if (method === "notifications/progress") {
      const pending = this.#pending.get(params?.progressToken ?? "");
      if (pending !== undefined) pending.progressCount += 1;
    } else if (method === "elicitation/create") this.#answer(id);
    else if (id !== undefined) this.#onResponse(id, message);
    if (result?.resultType === "input_required") this.#countQuestions(1);
  }

  onError(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #answer(id: number | string | undefined): void {
    this.#countQuestions(1);
    if (!this.#leavesQuestionsOpen) this.#send(JSON.stringify({ jsonrpc: "2.0", id, result: ANSWER }));
  }

  #onResponse(id: number | string, { error, result }: Message): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending === undefined) return;
    if (error !== undefined || result?.isError === true)
      pending.reject(
        new Error(`The server returned an error: ${error?.message ?? result?.content?.[0]?.text ?? "?"}`),
      );
    else if (result?.resultType === "input_required" && !this.#leavesQuestionsOpen) {
      const answers = Object.keys(result.inputRequests ?? {}).map((key) => [key, ANSWER] as const);
      pending.retry(Object.fromEntries(answers), result.requestState);
    } else pending.resolve(pending.progressCount);
  }

  #countQuestions(added: number): void {
    this.#questionCount += added;
    const waiting = this.#waitingForQuestions;
    if (waiting === undefined || this.#questionCount < waiting.count) return;
    this.#waitingForQuestions = undefined;
    waiting.resolve();
  }

  #send(text: string, name?: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#connection?.send(text, name);
  }
}
