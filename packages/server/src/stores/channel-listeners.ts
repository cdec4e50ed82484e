interface Listener {
  readonly onMessage: (message: string) => void;
  readonly onGap: (() => void) | undefined;
}

/**
 * The subscribers of each channel in this process.
 *
 * Each callback runs in a microtask of its own: one that throws affects neither other subscribers nor the publisher.
 */
export class ChannelListeners {
  readonly #channels = new Map<string, Set<Listener>>();

  /** The channels that have subscribers. */
  get names(): readonly string[] {
    return [...this.#channels.keys()];
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  /** Returns a function that ends the subscription. */
  add(channel: string, onMessage: Listener["onMessage"], onGap: Listener["onGap"]): () => void {
    const listener = { onMessage, onGap };
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#channels.get(channel) === listeners) this.#channels.delete(channel);
    };
  }

  emit(channel: string, message: string): void {
    this.#callEach(this.#channels.get(channel), ({ onMessage }) => onMessage(message));
  }

  /** Messages of any channel may have been lost. */
  emitGap(): void {
    for (const listeners of this.#channels.values()) this.#callEach(listeners, ({ onGap }) => onGap?.());
  }

  clear(): void {
    for (const listeners of this.#channels.values()) listeners.clear();
    this.#channels.clear();
  }

  #callEach(listeners: Set<Listener> | undefined, call: (listener: Listener) => void): void {
    for (const listener of listeners ?? [])
      queueMicrotask(() => {
        if (listeners?.has(listener) === true) call(listener);
      });
  }
}
