import { setMaxListeners } from "node:events";

type Listener = () => void;

const NOBODY: readonly Listener[] = [];

/** Tells that somebody has gone. There is one for each request, and an `AbortController` costs as much as a small call. */
export class LightAbortSignal implements CancelSignal {
  #aborted = false;
  /** One or two. */
  #listeners = NOBODY;

  get aborted(): boolean {
    return this.#aborted;
  }

  addEventListener(_: "abort", listener: Listener): void {
    this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener];
  }

  removeEventListener(_: "abort", listener: Listener): void {
    const others = this.#listeners.filter((one) => one !== listener);
    this.#listeners = others.length === 0 ? NOBODY : others;
  }

  /** They have gone. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners = NOBODY;
  }
}

/** One whose signal any number may listen to. */
export function unlimitedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** As much of an `AbortSignal` as tells that something is no longer wanted. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
