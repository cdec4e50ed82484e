import { setMaxListeners } from "node:events";

type Listener = () => void;

const NONE: readonly Listener[] = [];

/** A minimal AbortSignal and its controller. There is one for each request, and an `AbortController` costs as much as a small call. */
export class LightAbortSignal implements CancelSignal {
  aborted = false;
  /** Copied on change: there are one or two. */
  #listeners = NONE;

  addEventListener(_: "abort", listener: Listener): void {
    this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener];
  }

  removeEventListener(_: "abort", listener: Listener): void {
    const others = this.#listeners.filter((one) => one !== listener);
    this.#listeners = others.length === 0 ? NONE : others;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners = NONE;
  }
}

/** An AbortController without a limit of listeners. */
export function unlimitedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** What `AbortSignal` and `LightAbortSignal` have in common. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
