/**
 * Calls tools, answers what they ask, and counts what they tell, in either revision.
 *
 * It reads as little as it can: who is measured is the server.
 */
import { spell, type Call } from "./call-text.ts";
import type { Ears, Revision, Wire } from "./wire.ts";

interface Heard {
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

interface Open {
  /** How often it was told of its progress. */
  told: number;
  readonly again: (result: object, state: string | undefined) => void;
  readonly resolve: (told: number) => void;
  readonly reject: (error: Error) => void;
}

const ANSWER = { action: "accept", content: { value: "Ada" } };

export class Caller implements Ears {
  readonly #revision: Revision;
  /** Whether questions are left without an answer. */
  readonly #isPatient: boolean;
  readonly #open = new Map<number | string, Open>();
  #wire: Wire | undefined;
  #ids = 0;
  #failure: Error | undefined;
  #asked = 0;
  #whenAsked: { readonly many: number; readonly resolve: () => void } | undefined;

  constructor(revision: Revision, isPatient = false) {
    this.#revision = revision;
    this.#isPatient = isPatient;
  }

  /** Takes up the wire, which had to know first who would hear it. */
  use(wire: Wire): this {
    this.#wire = wire;
    return this;
  }

  /** Gives back a way to make this call; it settles with how often it was told of progress before its result. */
  prepare(call: Call): () => Promise<number> {
    const text = spell(call, this.#revision);
    return () =>
      new Promise((resolve, reject) => {
        const id = this.#ids++;
        const send = (brought?: object, as = id): void => this.#send(text(as, brought), call.tool);
        const open: Open = {
          told: 0,
          resolve,
          reject,
          again: (inputResponses, requestState) => {
            const next = this.#ids++;
            this.#open.set(next, open);
            send({ inputResponses, requestState }, next);
          },
        };
        this.#open.set(id, open);
        send();
      });
  }

  /** Sends a request that is no call of a tool. */
  request(method: string, params: object): Promise<number> {
    return new Promise((resolve, reject) => {
      const id = this.#ids++;
      this.#open.set(id, { told: 0, resolve, reject, again: () => {} });
      this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  notify(method: string): void {
    this.#send(JSON.stringify({ jsonrpc: "2.0", method }));
  }

  /** Settles when so many questions were asked, since the beginning. */
  asked(many: number): Promise<void> {
    return new Promise((resolve) => {
      this.#whenAsked = { many, resolve };
      this.#countAsked(0);
    });
  }

  close(): void {
    this.#failure ??= new Error("The client has hung up.");
    this.#wire?.close();
  }

  hear(text: string): void {
    // Servers that are measured speak JSON-RPC, or this fails loudly.
    const message = JSON.parse(text) as Heard;
    const { id, method, result, params } = message;
    if (method === "notifications/progress") {
      const open = this.#open.get(params?.progressToken ?? "");
      if (open !== undefined) open.told += 1;
    } else if (method === "elicitation/create") this.#answer(id);
    else if (id !== undefined) this.#settle(id, message);
    if (result?.resultType === "input_required") this.#countAsked(1);
  }

  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  #answer(id: number | string | undefined): void {
    this.#countAsked(1);
    if (!this.#isPatient) this.#send(JSON.stringify({ jsonrpc: "2.0", id, result: ANSWER }));
  }

  #settle(id: number | string, { error, result }: Heard): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open === undefined) return;
    if (error !== undefined || result?.isError === true)
      open.reject(new Error(`The server answered: ${error?.message ?? result?.content?.[0]?.text ?? "?"}`));
    else if (result?.resultType === "input_required" && !this.#isPatient) {
      const answers = Object.keys(result.inputRequests ?? {}).map((key) => [key, ANSWER] as const);
      open.again(Object.fromEntries(answers), result.requestState);
    } else open.resolve(open.told);
  }

  #countAsked(more: number): void {
    this.#asked += more;
    const waiting = this.#whenAsked;
    if (waiting === undefined || this.#asked < waiting.many) return;
    this.#whenAsked = undefined;
    waiting.resolve();
  }

  #send(text: string, name?: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#wire?.send(text, name);
  }
}
