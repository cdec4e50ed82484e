/**
 * Messages between the processes that share a store, and their listeners in this process.
 *
 *   1. Messages are encrypted. A message that was not encrypted with one of the keys is ignored.
 *   2. A message may be lost, or arrive late. It only makes its listener read the store; but the sender of a forwarded message waits for
 *      a response.
 */
import type { SealedBox } from "../crypto/sealed-box.ts";
import type { JsonObject, Notification, Request } from "../jsonrpc/messages.ts";
import type { StatelessResponse } from "../connection.ts";
import type { Store } from "../stores/store.ts";

export type BusMessage =
  /** The log of a run has grown, not by its client: it was answered elsewhere, or continued without its client. */
  | { readonly kind: "log-grown"; readonly run: string }
  /**
   * The process `to` continues a run, because the client has reconnected to it. `reconnects`: how often the client had reconnected
   * before, by the log. A message that arrives late must not stop a process to which the client reconnected afterwards.
   */
  | { readonly kind: "run-moved"; readonly run: string; readonly to: string; readonly reconnects: number }
  /** A client's message for the process that has a call of its session. */
  | { readonly kind: "session-message"; readonly session: string; readonly message: JsonObject }
  | { readonly kind: "session-ended"; readonly session: string }
  | {
      readonly kind: "forward";
      readonly to: string;
      readonly name: string;
      readonly message: ForwardMessage;
    };

/** What two processes send each other for a request that one has received and the other answers. */
export type ForwardMessage =
  | { readonly request: Request; readonly principal: string; readonly from: string }
  | { readonly notification: Notification }
  | { readonly response: StatelessResponse }
  /** The client has closed its request. */
  | { readonly closed: true };

export interface RunListener {
  /** The log may have grown, by a reply or because the run was continued elsewhere: the listener reads it. */
  onGrown(): void;
  /** Another process continues the run. `reconnects`: how often its client had reconnected before that. */
  onMoved(reconnects: number): void;
}

export interface SessionListener {
  /** The client has sent a message that another process received. */
  onForwarded(message: JsonObject): void;
  /** The client has ended its session. */
  onTerminated(): void;
}

interface AnyRunListener {
  readonly onGrown: (run: string) => void;
  readonly onGap: () => void;
}

/** The channel of the store, and the additional data of the encryption. */
const CHANNEL = "photon news";

export class ProcessBus {
  readonly #process: string;
  readonly #store: Pick<Store, "subscribe" | "publish">;
  readonly #sealedBox: SealedBox;
  /** The runs that this process has claimed, and their listeners. */
  readonly #claims = new Map<string, RunListener | undefined>();
  readonly #sessions = new Map<string, SessionListener>();
  readonly #anyRun = new Set<AnyRunListener>();
  #subscription: Promise<() => Promise<void>> | undefined;
  /** Receives the messages that other processes forward to this one. */
  onForward: (name: string, message: ForwardMessage) => void = () => {};

  /** `process` is the name of this process. */
  constructor(process: string, store: Pick<Store, "subscribe" | "publish">, sealedBox: SealedBox) {
    this.#process = process;
    this.#store = store;
    this.#sealedBox = sealedBox;
  }

  /** Sends a message to every process that shares the store. */
  async publish(message: BusMessage): Promise<void> {
    await this.#store.publish(CHANNEL, this.#sealedBox.encrypt(JSON.stringify(message), CHANNEL));
  }

  /** Sends a message about `name`, which both processes know, to one other process. */
  forward(to: string, name: string, message: ForwardMessage): Promise<void> {
    return this.publish({ kind: "forward", to, name, message });
  }

  /** Resolves when this process receives messages. */
  async subscribe(): Promise<void> {
    this.#subscription ??= this.#store.subscribe(
      CHANNEL,
      (encrypted) => {
        const text = this.#sealedBox.decrypt(encrypted, CHANNEL);
        // Encrypted by a process with the same keys.
        if (text !== undefined) this.#receive(JSON.parse(text) as BusMessage);
      },
      () => this.notifyAll(),
    );
    await this.#subscription.catch((error: unknown) => {
      this.#subscription = undefined;
      throw error;
    });
  }

  /** Claims a run, in place of an earlier claim, and sets its listener if it has one. Returns a function that ends the claim. */
  claim(run: string, listener: RunListener | undefined): () => void {
    return setListener(this.#claims, run, listener);
  }

  hasClaim(run: string): boolean {
    return this.#claims.has(run);
  }

  /** Sets the listener of a session. Resolves with a function that removes it, once messages arrive. */
  onSession(session: string, listener: SessionListener): Promise<() => void> {
    return this.#onceSubscribed(setListener(this.#sessions, session, listener));
  }

  /**
   * Calls `onGrown` for every run whose log has grown, and `onGap` when messages about that may be lost. Resolves with a function that
   * ends it, once messages arrive.
   */
  onAnyRun(onGrown: (run: string) => void, onGap: () => void): Promise<() => void> {
    const listener = { onGrown, onGap };
    this.#anyRun.add(listener);
    return this.#onceSubscribed(() => void this.#anyRun.delete(listener));
  }

  /** The same for one run: calls `onChange` in both cases. */
  onGrown(run: string, onChange: () => void): Promise<() => void> {
    return this.onAnyRun((grown) => {
      if (grown === run) onChange();
    }, onChange);
  }

  /** Makes the listener of a run read its log: it may have missed a message. */
  notify(run: string): void {
    this.#claims.get(run)?.onGrown();
  }

  /** Messages may be lost: every listener reads the store. */
  notifyAll(): void {
    for (const listener of this.#claims.values()) listener?.onGrown();
    for (const { onGap } of this.#anyRun) onGap();
  }

  async close(): Promise<void> {
    const unsubscribe = await this.#subscription?.catch(() => undefined);
    this.#subscription = undefined;
    await unsubscribe?.();
  }

  #receive(message: BusMessage): void {
    switch (message.kind) {
      case "log-grown":
        this.notify(message.run);
        for (const { onGrown } of this.#anyRun) onGrown(message.run);
        return;
      case "run-moved":
        if (message.to !== this.#process) this.#claims.get(message.run)?.onMoved(message.reconnects);
        return;
      case "session-message":
        return this.#sessions.get(message.session)?.onForwarded(message.message);
      case "session-ended":
        return this.#sessions.get(message.session)?.onTerminated();
      case "forward":
        if (message.to === this.#process) this.onForward(message.name, message.message);
        return;
      default:
        // A later version may send other messages.
        message satisfies never;
    }
  }

  async #onceSubscribed(removeListener: () => void): Promise<() => void> {
    try {
      await this.subscribe();
      return removeListener;
    } catch (error) {
      removeListener();
      throw error;
    }
  }
}

function setListener<Listener>(
  listeners: Map<string, Listener>,
  name: string,
  listener: Listener,
): () => void {
  listeners.set(name, listener);
  return () => {
    if (listeners.get(name) === listener) listeners.delete(name);
  };
}
