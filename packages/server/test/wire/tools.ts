/** The tools that the wire is tried with. */
import { ask, tool, type Tool } from "@photon/core";

const text = { type: "object", properties: { text: { type: "string" } } } as const;

/** Gives back what it was given. */
export const echo = tool({
  name: "echo",
  input: text,
  async *run({ text: given = "" }) {
    return given;
  },
});

/** Asks for a name, and greets. */
export const greet = tool({
  name: "greet",
  async *run() {
    return `Hello, ${yield* ask.text("Name?")}`;
  },
});

/** Tells when a body begins and when it has ended. */
export class Witness {
  readonly ended: string[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  begun = 0;

  end(name: string): void {
    this.ended.push(name);
    for (const { count, resolve } of this.#waiting) if (this.ended.length >= count) resolve();
  }

  /** Settles when so many bodies have reached their `finally`. */
  afterEnd(count = 1): Promise<void> {
    if (this.ended.length >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
    });
  }
}

/** Asks, and tells the witness of its end, however it ends. */
export function witnessed(witness: Witness, name = "witnessed"): Tool<never> {
  return tool({
    name,
    async *run() {
      witness.begun += 1;
      try {
        return `Hello, ${yield* ask.text("Name?")}`;
      } finally {
        witness.end(name);
      }
    },
  });
}
