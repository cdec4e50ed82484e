/**
 * A request for a call that only another process has: it is answered there, and what comes of it is passed back.
 *
 *   1. As long as that process lives, somebody waits for its answer. Once it has died the call is gone, and they are told.
 *   2. What is told on the way comes back in its order, before the answer.
 *   3. Whoever goes away has cancelled the request there, too.
 */
import type { Clock } from "@photon/core";
import { Departure } from "../rpc/departure.ts";
import type { Notification, Request } from "../rpc/message.ts";
import type { Answer, Caller, Exchange } from "../rpc/peer.ts";
import type { Runs } from "../runs/runs.ts";
import type { Settings } from "../settings.ts";

/** What two processes write to each other about a request. */
export type Letter =
  | { readonly request: Request; readonly principal: string; readonly from: string }
  | { readonly told: Notification }
  | { readonly answer: Answer }
  | { readonly left: true };

/** Whoever waits for what comes of a request that was passed on. */
interface Waiting {
  readonly caller: Caller;
  readonly settle: (answer: Answer | undefined) => void;
}

export class Forwarding {
  readonly #runs: Runs;
  readonly #settings: Pick<Settings, "clock" | "lease" | "report">;
  readonly #exchange: Exchange;
  /** By the names of the letters. */
  readonly #waiting = new Map<string, Waiting>();
  /** Those that are answered here for others. */
  readonly #answering = new Map<string, Departure>();

  /** `exchange` answers here. */
  constructor(runs: Runs, settings: Pick<Settings, "clock" | "lease" | "report">, exchange: Exchange) {
    this.#runs = runs;
    this.#settings = settings;
    this.#exchange = exchange;
    runs.onLetter((name, letter) => this.#read(name, letter));
  }

  /** Has a request answered by the process that has its call; nothing, where that has died. */
  async forward(process: string, request: Request, caller: Caller): Promise<Answer | undefined> {
    await this.#runs.hear();
    if (!(await this.#runs.isAlive(process))) return undefined;
    const name = crypto.randomUUID();
    const answered = new Promise<Answer | undefined>((settle) => {
      this.#waiting.set(name, { caller, settle });
    });
    const left = (): void => void this.#send(process, name, { left: true });
    caller.signal.addEventListener("abort", left);
    const stopLooking = this.#lookAfter(process, name);
    try {
      const { principal } = caller;
      await this.#runs.write(process, name, { request, principal, from: this.#runs.process });
      return await answered;
    } finally {
      stopLooking();
      caller.signal.removeEventListener("abort", left);
      this.#waiting.delete(name);
    }
  }

  /** Looks again and again whether a process lives, for as long as somebody waits for it. */
  #lookAfter(process: string, name: string): () => void {
    const { clock, lease, report } = this.#settings;
    return repeatedly(clock, lease, () => {
      this.#runs.isAlive(process).then(
        (isAlive) => isAlive || this.#waiting.get(name)?.settle(undefined),
        (error: unknown) => report(error),
      );
    });
  }

  #read(name: string, letter: Letter): void {
    if ("request" in letter) void this.#answer(name, letter.from, letter.request, letter.principal);
    else if ("left" in letter) this.#answering.get(name)?.abort();
    else if ("answer" in letter) this.#waiting.get(name)?.settle(letter.answer);
    else void this.#waiting.get(name)?.caller.tell(letter.told);
  }

  /** Answers a request that came to another process. */
  async #answer(name: string, from: string, request: Request, principal: string): Promise<void> {
    const signal = new Departure();
    this.#answering.set(name, signal);
    const tell = (told: Notification): Promise<void> => this.#send(from, name, { told });
    const answer = await this.#exchange(request, { principal, signal, tell });
    this.#answering.delete(name);
    await this.#send(from, name, { answer });
  }

  async #send(process: string, name: string, letter: Letter): Promise<void> {
    await this.#runs.write(process, name, letter).catch(this.#settings.report);
  }
}

/** Does something every so many milliseconds, until it is stopped. */
function repeatedly(clock: Clock, every: number, act: () => void): () => void {
  let stop = clock.after(every, function again() {
    act();
    stop = clock.after(every, again);
  });
  return () => stop();
}
