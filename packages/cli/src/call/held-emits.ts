import type { Emit } from "@photon/core";
import type { Emits } from "../terminal/show-emits.ts";

/**
 * What a server tells, kept back while somebody is asked: a prompt has the screen to itself.
 *
 * Of how far it is, only the last is of interest then.
 */
export class HeldEmits {
  readonly #emits: Emits;
  #held: (Emit | string)[] | undefined;

  constructor(emits: Emits) {
    this.#emits = emits;
  }

  /** An effect, or a line that a command wrote. */
  show(told: Emit | string): void {
    if (this.#held !== undefined) this.#held.push(told);
    else if (typeof told === "string") this.#emits.say(told, "dim");
    else void this.#emits.emit(told);
  }

  hold(isHeld: boolean): void {
    if (isHeld) {
      this.#held ??= [];
      return;
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    const last = held.findLastIndex(isPassing);
    for (const [index, told] of held.entries()) if (!isPassing(told) || index === last) this.show(told);
  }
}

const isPassing = (told: Emit | string): boolean =>
  typeof told !== "string" && (told.emit === "status" || told.emit === "progress");
