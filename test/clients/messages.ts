/** A message of JSON-RPC. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The fields of an object. */
export interface Fields {
  readonly [name: string]: unknown;
}

interface Waiting {
  readonly fits: (message: Message) => boolean;
  readonly take: (message: Message) => void;
  readonly fail: (error: Error) => void;
}

/** The messages that a client has received. `next` takes a message out of the queue. */
export class MessageQueue {
  /** All messages, in their order, also those that were taken. A batch is one. */
  readonly all: unknown[] = [];
  readonly #left: Message[] = [];
  readonly #waiting = new Set<Waiting>();
  #ended: Error | undefined;

  push(message: unknown): void {
    this.all.push(message);
    // The test that takes the message checks it.
    const wire = message as Message;
    const waiting = [...this.#waiting].find(({ fits }) => fits(wire));
    if (waiting === undefined) {
      this.#left.push(wire);
      return;
    }
    this.#waiting.delete(waiting);
    waiting.take(wire);
  }

  /** Rejects everything that waits: no message will arrive any more. */
  end(reason: string): void {
    this.#ended ??= new Error(`No message will arrive: ${reason}.`);
    for (const { fail } of this.#waiting) fail(this.#ended);
    this.#waiting.clear();
  }

  /** The next message that fits, once there is one. */
  next(fits: (message: Message) => boolean = () => true): Promise<Message> {
    const index = this.#left.findIndex(fits);
    if (index >= 0) return Promise.resolve(this.#left.splice(index, 1)[0] as Message);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((take, fail) => {
      this.#waiting.add({ fits, take, fail });
    });
  }
}

/** Whether a message is the response to the request with this id. */
export const isResponseTo =
  (id: Message["id"]) =>
  (message: Message): boolean =>
    message.method === undefined && message.id === id;

/** Whether a message is a request or a notification of this method. */
export const hasMethod =
  (method: string) =>
  (message: Message): boolean =>
    message.method === method;
