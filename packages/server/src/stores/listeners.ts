interface Listener {
  readonly onMessage: (message: string) => void;
  readonly onGap: (() => void) | undefined;
}

/** The subscribers of each channel, in this process. */
export class ChannelListeners {
  readonly #channels = new Map<string, Set<Listener>>();

  /** How many channels have subscribers. */
  get size(): number {
    return this.#channels.size;
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  names(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Returns what ends the subscription. */
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
    const listeners = this.#channels.get(channel) ?? new Set();
    for (const listener of listeners) {
      // In a microtask each: one that throws affects neither other subscribers nor the publisher.
      queueMicrotask(() => {
        if (listeners.has(listener)) listener.onMessage(message);
      });
    }
  }

  /** Messages may have been lost, of any channel. */
  emitGap(): void {
    for (const listeners of this.#channels.values()) {
      for (const listener of listeners) {
        queueMicrotask(() => {
          if (listeners.has(listener)) listener.onGap?.();
        });
      }
    }
  }

  clear(): void {
    for (const listeners of this.#channels.values()) listeners.clear();
    this.#channels.clear();
  }
}
