/**
 * A client that says whatever it is told to, right or wrong, and shows whatever
 * comes back. What carries it is given.
 */
import { answers, calls, type Fields, type Inbox, type Wire } from "./inbox.ts";

/** What carries the messages of one client. */
export interface Carrier {
  /** Sends a text as one message. */
  sendText(text: string): Promise<void>;
  /** Hangs up, as this transport does it. */
  hangUp(): Promise<void>;
  /** Settles when the line is gone. */
  readonly gone: Promise<void>;
}

export const ELICITATION = { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} };

export class RawClient {
  readonly inbox: Inbox;
  readonly #carrier: Carrier;
  #ids = 0;

  constructor(carrier: Carrier, inbox: Inbox) {
    this.#carrier = carrier;
    this.inbox = inbox;
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
  request(method: string, params?: Fields): Promise<Wire> {
    return this.answerTo(this.begin(method, params));
  }

  notify(method: string, params?: Fields): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  answerTo(id: Wire["id"]): Promise<Wire> {
    return this.inbox.next(answers(id));
  }

  /** The next question, or another message of the method. */
  hear(method = "elicitation/create"): Promise<Wire> {
    return this.inbox.next(calls(method));
  }

  /** The next answer to nothing that is known. */
  refusal(): Promise<Wire> {
    return this.inbox.next(({ id, error }) => id === undefined && error !== undefined);
  }

  reply(question: Wire, result: Fields): Promise<void> {
    return this.send({ jsonrpc: "2.0", id: question.id, result });
  }

  /** Answers a question with a value. */
  accept(question: Wire, value: unknown): Promise<void> {
    return this.reply(question, { action: "accept", content: { value } });
  }

  callTool(name: string, input: Fields = {}, meta?: Fields): Promise<Wire> {
    return this.request("tools/call", callOf(name, input, meta));
  }

  async initialize(revision = "2025-11-25", capabilities: Fields = ELICITATION): Promise<Wire> {
    const answer = await this.request("initialize", {
      protocolVersion: revision,
      capabilities,
      clientInfo: { name: "raw", version: "1" },
    });
    if (answer.error === undefined) await this.notify("notifications/initialized");
    return answer;
  }

  hangUp(): Promise<void> {
    return this.#carrier.hangUp();
  }
}

export function callOf(name: string, input: Fields = {}, meta?: Fields): Fields {
  return { name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) };
}

/** What a call gave, as text. */
export function textOf({ result, error }: Wire): string {
  if (error !== undefined) return `${error.code}: ${error.message}`;
  const [first] = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return first?.text ?? "";
}
