/** A message on the wire, as far as a test looks at it. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Whatever is in an object. */
export interface Fields {
  readonly [name: string]: unknown;
}

interface Waiting {
  readonly fits: (message: Message) => boolean;
  readonly take: (message: Message) => void;
  readonly fail: (error: Error) => void;
}

/** What a client was sent: each message is taken once, by whoever waits for one like it. */
export class MessageQueue {
  /** Everything there ever was, in its order. A batch is one. */
  readonly all: unknown[] = [];
  readonly #left: Message[] = [];
  readonly #waiting = new Set<Waiting>();
  #ended: Error | undefined;

  push(message: unknown): void {
    this.all.push(message);
    // Looked at by the test that takes it.
    const wire = message as Message;
    const waiting = [...this.#waiting].find(({ fits }) => fits(wire));
    if (waiting === undefined) {
      this.#left.push(wire);
      return;
    }
    this.#waiting.delete(waiting);
    waiting.take(wire);
  }

  /** Nothing more will come. */
  end(reason: string): void {
    this.#ended ??= new Error(`Nothing more comes: ${reason}.`);
    for (const { fail } of this.#waiting) fail(this.#ended);
    this.#waiting.clear();
  }

  /** The next message that fits. */
  next(fits: (message: Message) => boolean = () => true): Promise<Message> {
    const index = this.#left.findIndex(fits);
    if (index >= 0) return Promise.resolve(this.#left.splice(index, 1)[0] as Message);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((take, fail) => {
      this.#waiting.add({ fits, take, fail });
    });
  }
}

/** Whether a message answers the request of this id. */
export const isResponseTo =
  (id: Message["id"]) =>
  (message: Message): boolean =>
    message.method === undefined && message.id === id;

/** Whether a message is a request or a notification of this method. */
export const hasMethod =
  (method: string) =>
  (message: Message): boolean =>
    message.method === method;
