/**
 * Clients that send any message, valid or not, and show every message that comes back.
 *
 * `RawClient` is a client on a session; it has a connection of its own. In 2026-07-28 every request stands alone:
 * `StatelessClient` adds to each what the revision requires, unless the test leaves it out. `carriers.ts` has what carries them.
 */
import { isResponseTo, hasMethod, type Fields, type MessageQueue, type Message } from "./messages.ts";

/** What carries the messages of one client. */
export interface Carrier {
  /** Sends a text as one message. */
  sendText(text: string): Promise<void>;
  /** Hangs up, as this transport does it. */
  close(): Promise<void>;
  /** Settles when the line is gone. */
  readonly gone: Promise<void>;
}

export const ELICITATION = { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} };

export class RawClient {
  readonly messages: MessageQueue;
  readonly #carrier: Carrier;
  #ids = 0;

  constructor(carrier: Carrier, messages: MessageQueue) {
    this.#carrier = carrier;
    this.messages = messages;
  }

  get gone(): Promise<void> {
    return this.#carrier.gone;
  }

  send(message: unknown): Promise<void> {
    return this.sendText(JSON.stringify(message));
  }

  sendText(text: string): Promise<void> {
    return this.#carrier.sendText(text);
  }

  /** Sends a request; gives its id. */
  begin(method: string, params?: Fields): number {
    this.#ids += 1;
    const id = this.#ids;
    void this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return id;
  }

  /** Sends a request, and gives what answers it. */
  request(method: string, params?: Fields): Promise<Message> {
    return this.answerTo(this.begin(method, params));
  }

  notify(method: string, params?: Fields): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  answerTo(id: Message["id"]): Promise<Message> {
    return this.messages.next(isResponseTo(id));
  }

  /** The next question, or another message of the method. */
  receive(method = "elicitation/create"): Promise<Message> {
    return this.messages.next(hasMethod(method));
  }

  /** The next answer to nothing that is known. */
  refusal(): Promise<Message> {
    return this.messages.next(({ id, error }) => id === undefined && error !== undefined);
  }

  reply(question: Message, result: Fields): Promise<void> {
    return this.send({ jsonrpc: "2.0", id: question.id, result });
  }

  /** Answers a question with a value. */
  accept(question: Message, value: unknown): Promise<void> {
    return this.reply(question, { action: "accept", content: { value } });
  }

  callTool(name: string, input: Fields = {}, meta?: Fields): Promise<Message> {
    return this.request("tools/call", callOf(name, input, meta));
  }

  async initialize(revision = "2025-11-25", capabilities: Fields = ELICITATION): Promise<Message> {
    const answer = await this.request("initialize", {
      protocolVersion: revision,
      capabilities,
      clientInfo: { name: "raw", version: "1" },
    });
    if (answer.error === undefined) await this.notify("notifications/initialized");
    return answer;
  }

  close(): Promise<void> {
    return this.#carrier.close();
  }
}

export function callOf(name: string, input: Fields = {}, meta?: Fields): Fields {
  return { name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) };
}

/** What a call gave, as text. */
export function textOf({ result, error }: Message): string {
  if (error !== undefined) return `${error.code}: ${error.message}`;
  const [first] = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return first?.text ?? "";
}

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
export interface Reply {
  readonly answer: Message;
  /** What was told before the answer. */
  readonly told: readonly Message[];
  /** Over HTTP only. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: unknown };
}

/** What came of a request. */
export interface Exchange extends Reply {
  /** What was asked for: the same again, with more, is a retry. */
  readonly asked: { readonly method: string; readonly params: Fields };
}

/** A message that may still be under way. */
export interface OpenRequest<What extends Reply = Exchange> {
  readonly id: Message["id"];
  readonly received: Promise<What>;
  /** What it is told, as it comes. */
  readonly messages: MessageQueue;
  /** Gives it up, as this transport does it; settles when the server can know. */
  leave(): Promise<void>;
}

/** Headers as they are sent; one that is `undefined` is left out. */
export type Headers = { readonly [name: string]: string | undefined };

/** A message as text. */
type Serialize = (message: Message) => string;

/** What carries messages. */
export interface StatelessCarrier {
  begin(message: Message, headers: Headers, serialize?: Serialize): OpenRequest<Reply>;
  /** Goes away. */
  close(): Promise<void>;
}

/** What may be said otherwise. */
export interface RequestOverrides {
  readonly id?: string | number;
  /** Beside what every `_meta` has; `undefined` leaves out. */
  readonly meta?: Fields;
  readonly can?: Fields;
  readonly headers?: Headers;
  readonly serialize?: Serialize;
}

export class StatelessClient {
  readonly #way: StatelessCarrier;
  readonly #can: Fields;
  /** The first id is 0, as that of the SDK's client. */
  #ids = 0;

  constructor(way: StatelessCarrier, can: Fields = ELICITATION) {
    this.#way = way;
    this.#can = can;
  }

  begin(method: string, given: Fields = {}, otherwise: RequestOverrides = {}): OpenRequest {
    const { id = this.#ids++, headers = {}, serialize } = otherwise;
    const params = { ...given, _meta: { ...this.#meta(otherwise), ...(given["_meta"] as Fields) } };
    const openRequest = this.#way.begin({ jsonrpc: "2.0", id, method, params }, headers, serialize);
    const received = openRequest.received.then((one) => ({ ...one, asked: { method, params: given } }));
    // Whoever leaves does not wait for it.
    received.catch(() => {});
    return { ...openRequest, received };
  }

  request(method: string, params?: Fields, otherwise?: RequestOverrides): Promise<Exchange> {
    return this.begin(method, params, otherwise).received;
  }

  call(name: string, input?: Fields, otherwise?: RequestOverrides): Promise<Exchange> {
    return this.request("tools/call", callOf(name, input), otherwise);
  }

  /** Calls again, with answers as they are and the state that was given. */
  retry(received: Exchange, inputResponses?: unknown, otherwise?: RequestOverrides): Promise<Exchange> {
    return this.beginRetry(received, inputResponses, otherwise).received;
  }

  beginRetry(
    { asked, answer }: Exchange,
    inputResponses?: unknown,
    otherwise?: RequestOverrides,
  ): OpenRequest {
    const { requestState } = answer.result ?? {};
    const brought = inputResponses === undefined ? {} : { inputResponses };
    return this.begin(asked.method, { ...asked.params, requestState, ...brought }, otherwise);
  }

  /** Calls again, with an accepted value for each key. */
  accept(received: Exchange, values: Fields, otherwise?: RequestOverrides): Promise<Exchange> {
    return this.retry(received, accepted(values), otherwise);
  }

  /** Sends a message as it is. */
  send(message: Message, headers: Headers = {}): Promise<Reply> {
    return this.#way.begin(message, headers).received;
  }

  close(): Promise<void> {
    return this.#way.close();
  }

  #meta({ meta = {}, can = this.#can }: RequestOverrides): Fields {
    return {
      [META.version]: MODERN,
      [META.clientInfo]: { name: "raw", version: "1" },
      [META.capabilities]: can,
      ...meta,
    };
  }
}

/** Answers that accept these values. */
export const accepted = (values: Fields): Fields =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { action: "accept", content: { value } }]),
  );

/** The questions that a request was ended with. */
export const questionsIn = ({ answer }: Exchange): { readonly [key: string]: Message } =>
  (answer.result?.["inputRequests"] ?? {}) as { readonly [key: string]: Message };

/** The state that a request was ended with. */
export const stateIn = ({ answer }: Exchange): string => String(answer.result?.["requestState"]);

/** The code of the error that a request was answered with. */
export const codeIn = ({ answer }: Exchange): number | undefined => answer.error?.code;
