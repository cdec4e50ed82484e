/**
 * Clients that send any message, valid or not, and show every message that comes back.
 *
 * `RawClient` is a client on a session; it has a connection of its own. In 2026-07-28 every request stands alone:
 * `StatelessClient` adds to each what the revision requires, unless the test leaves it out. `carriers.ts` has what carries them.
 */
import { isResponseTo, hasMethod, type Fields, type MessageQueue, type Message } from "./messages.ts";

/** Carries the messages of one client. */
export interface Carrier {
  /** Sends a text as one message. */
  sendText(text: string): Promise<void>;
  /** Ends the connection, as this transport does it. */
  close(): Promise<void>;
  /** Resolves when the connection is closed. */
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

  /** Sends a request. Returns its id. */
  begin(method: string, params?: Fields): number {
    this.#ids += 1;
    const id = this.#ids;
    void this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return id;
  }

  /** Sends a request. Returns its response. */
  request(method: string, params?: Fields): Promise<Message> {
    return this.answerTo(this.begin(method, params));
  }

  notify(method: string, params?: Fields): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  answerTo(id: Message["id"]): Promise<Message> {
    return this.messages.next(isResponseTo(id));
  }

  /** The next question, or the next message with another method. */
  receive(method = "elicitation/create"): Promise<Message> {
    return this.messages.next(hasMethod(method));
  }

  /** The next error without an id. */
  refusal(): Promise<Message> {
    return this.messages.next(({ id, error }) => id === undefined && error !== undefined);
  }

  reply(question: Message, result: Fields): Promise<void> {
    return this.send({ jsonrpc: "2.0", id: question.id, result });
  }

  /** Accepts a question with a value. */
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

/** The text of the result, or of the error. */
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

/** The response to a message. */
export interface Reply {
  readonly answer: Message;
  /** The messages before the response. */
  readonly told: readonly Message[];
  /** Over HTTP only. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: unknown };
}

/** A request and its response. */
export interface Exchange extends Reply {
  /** The request: a retry sends it again, with more parameters. */
  readonly asked: { readonly method: string; readonly params: Fields };
}

/** A request whose response may not have arrived. */
export interface OpenRequest<What extends Reply = Exchange> {
  readonly id: Message["id"];
  readonly received: Promise<What>;
  /** The messages that arrive for it. */
  readonly messages: MessageQueue;
  /** Cancels the request, as this transport does it. Resolves when the server can have noticed. */
  leave(): Promise<void>;
}

/** Headers; one that is `undefined` is not sent. */
export type Headers = { readonly [name: string]: string | undefined };

/** Formats a message. */
type Serialize = (message: Message) => string;

/** Carries requests that stand alone. */
export interface StatelessCarrier {
  begin(message: Message, headers: Headers, serialize?: Serialize): OpenRequest<Reply>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** What a test can change in a request. */
export interface RequestOverrides {
  readonly id?: string | number;
  /** Fields of `_meta` beside those that it always has; `undefined` removes one. */
  readonly meta?: Fields;
  readonly can?: Fields;
  readonly headers?: Headers;
  readonly serialize?: Serialize;
}

export class StatelessClient {
  readonly #way: StatelessCarrier;
  readonly #can: Fields;
  /** The first id is 0, as in the SDK's client. */
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
    // A test that cancels does not wait for the response.
    received.catch(() => {});
    return { ...openRequest, received };
  }

  request(method: string, params?: Fields, otherwise?: RequestOverrides): Promise<Exchange> {
    return this.begin(method, params, otherwise).received;
  }

  call(name: string, input?: Fields, otherwise?: RequestOverrides): Promise<Exchange> {
    return this.request("tools/call", callOf(name, input), otherwise);
  }

  /** Calls again, with these answers and the state of the response. */
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

  /** Sends a message without changes. */
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

/** The questions in the result. */
export const questionsIn = ({ answer }: Exchange): { readonly [key: string]: Message } =>
  (answer.result?.["inputRequests"] ?? {}) as { readonly [key: string]: Message };

/** The state in the result. */
export const stateIn = ({ answer }: Exchange): string => String(answer.result?.["requestState"]);

/** The code of the error. */
export const codeIn = ({ answer }: Exchange): number | undefined => answer.error?.code;
