/**
 * A client of 2026-07-28 that says whatever it is told to, right or wrong: every request stands alone.
 *
 * What is left unsaid is said as it ought to be. What carries the requests is given.
 */
import type { Fields, Inbox, Wire } from "./inbox.ts";
import { ELICITATION } from "./raw-client.ts";

export const MODERN = "2026-07-28";
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** What came back for a message. */
export interface Back {
  readonly answer: Wire;
  /** What was told before the answer. */
  readonly told: readonly Wire[];
  /** Over HTTP only. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: unknown };
}

/** What came of a request. */
export interface Heard extends Back {
  /** What was asked for: the same again, with more, is a retry. */
  readonly asked: { readonly method: string; readonly params: Fields };
}

/** A message that may still be under way. */
export interface UnderWay<What extends Back = Heard> {
  readonly id: Wire["id"];
  readonly heard: Promise<What>;
  /** What it is told, as it comes. */
  readonly inbox: Inbox;
  /** Gives it up, as this transport does it; settles when the server can know. */
  leave(): Promise<void>;
}

/** Headers as they are sent; one that is `undefined` is left out. */
export type Headers = { readonly [name: string]: string | undefined };

/** A message as text. */
type Spell = (message: Wire) => string;

/** What carries messages. */
export interface Way {
  begin(message: Wire, headers: Headers, spell?: Spell): UnderWay<Back>;
  /** Goes away. */
  hangUp(): Promise<void>;
}

/** What may be said otherwise. */
export interface Otherwise {
  readonly id?: string | number;
  /** Beside what every `_meta` has; `undefined` leaves out. */
  readonly meta?: Fields;
  readonly can?: Fields;
  readonly headers?: Headers;
  readonly spell?: Spell;
}

export class ModernClient {
  readonly #way: Way;
  readonly #can: Fields;
  /** The first id is 0, as that of the SDK's client. */
  #ids = 0;

  constructor(way: Way, can: Fields = ELICITATION) {
    this.#way = way;
    this.#can = can;
  }

  begin(method: string, given: Fields = {}, otherwise: Otherwise = {}): UnderWay {
    const { id = this.#ids++, headers = {}, spell } = otherwise;
    const params = { ...given, _meta: { ...this.#meta(otherwise), ...(given["_meta"] as Fields) } };
    const underWay = this.#way.begin({ jsonrpc: "2.0", id, method, params }, headers, spell);
    const heard = underWay.heard.then((one) => ({ ...one, asked: { method, params: given } }));
    // Whoever leaves does not wait for it.
    heard.catch(() => {});
    return { ...underWay, heard };
  }

  request(method: string, params?: Fields, otherwise?: Otherwise): Promise<Heard> {
    return this.begin(method, params, otherwise).heard;
  }

  call(name: string, input?: Fields, otherwise?: Otherwise): Promise<Heard> {
    return this.request("tools/call", callOf(name, input), otherwise);
  }

  /** Calls again, with answers as they are and the state that was given. */
  retry(heard: Heard, inputResponses?: unknown, otherwise?: Otherwise): Promise<Heard> {
    return this.beginRetry(heard, inputResponses, otherwise).heard;
  }

  beginRetry({ asked, answer }: Heard, inputResponses?: unknown, otherwise?: Otherwise): UnderWay {
    const { requestState } = answer.result ?? {};
    const brought = inputResponses === undefined ? {} : { inputResponses };
    return this.begin(asked.method, { ...asked.params, requestState, ...brought }, otherwise);
  }

  /** Calls again, with an accepted value for each key. */
  accept(heard: Heard, values: Fields, otherwise?: Otherwise): Promise<Heard> {
    return this.retry(heard, accepted(values), otherwise);
  }

  /** Sends a message as it is. */
  send(message: Wire, headers: Headers = {}): Promise<Back> {
    return this.#way.begin(message, headers).heard;
  }

  hangUp(): Promise<void> {
    return this.#way.hangUp();
  }

  #meta({ meta = {}, can = this.#can }: Otherwise): Fields {
    return {
      [META.version]: MODERN,
      [META.clientInfo]: { name: "raw", version: "1" },
      [META.capabilities]: can,
      ...meta,
    };
  }
}

export const callOf = (name: string, input: Fields = {}): Fields => ({ name, arguments: input });

/** Answers that accept these values. */
export const accepted = (values: Fields): Fields =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { action: "accept", content: { value } }]),
  );

/** The questions that a request was ended with. */
export const questionsIn = ({ answer }: Heard): { readonly [key: string]: Wire } =>
  (answer.result?.["inputRequests"] ?? {}) as { readonly [key: string]: Wire };

/** The state that a request was ended with. */
export const stateIn = ({ answer }: Heard): string => String(answer.result?.["requestState"]);

/** The code of the error that a request was answered with. */
export const codeIn = ({ answer }: Heard): number | undefined => answer.error?.code;
