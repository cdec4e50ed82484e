type Hear = (message: string) => void;

/** Who listens to which channel, in this process. */
export class Listeners {
  readonly #channels = new Map<string, Set<{ readonly hear: Hear }>>();

  /** How many channels somebody listens to. */
  get size(): number {
    return this.#channels.size;
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  /** The channels. */
  names(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Gives back what ends it. */
  add(channel: string, hear: Hear): () => void {
    const listener = { hear };
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#channels.get(channel) === listeners) this.#channels.delete(channel);
    };
  }

  tell(channel: string, message: string): void {
    const listeners = this.#channels.get(channel) ?? new Set();
    for (const listener of listeners) {
      // Each by itself: one that throws keeps the message from nobody else, nor from whoever told it.
      queueMicrotask(() => {
        if (listeners.has(listener)) listener.hear(message);
      });
    }
  }

  clear(): void {
    for (const listeners of this.#channels.values()) listeners.clear();
    this.#channels.clear();
  }
}
