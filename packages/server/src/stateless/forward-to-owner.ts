/**
 * A request for a call that only another process has: it is answered there, and what comes of it is passed back.
 *
 *   1. As long as that process lives, somebody waits for its answer. Once it has died the call is gone, and they are told.
 *   2. What is told on the way comes back in its order, before the answer.
 *   3. Whoever goes away has cancelled the request there, too.
 */
import type { Clock } from "@photon/core";
import type { Accounts } from "../accounts.ts";
import { Departure } from "../util/light-abort.ts";
import { errorResponse, rpcErrorOf } from "../jsonrpc/errors.ts";
import type { Notification, Request } from "../jsonrpc/messages.ts";
import type { Answer, Caller, Exchange } from "../connection.ts";
import type { Runs } from "../durable/run-repository.ts";
import { weightOf } from "../jsonrpc/message-size.ts";
import type { Settings } from "../settings.ts";

/** How often it is tried to send an answer, while the store is away. */
const TRIES = 20;

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

interface ForwardingSettings extends Pick<Settings, "clock" | "lease" | "report"> {
  readonly accounts: Accounts;
}

export class Forwarding {
  readonly #runs: Runs;
  readonly #settings: ForwardingSettings;
  readonly #exchange: Exchange;
  /** By the names of the letters. */
  readonly #waiting = new Map<string, Waiting>();
  /** Those that are answered here for others. */
  readonly #answering = new Map<string, Departure>();

  /** `exchange` answers here. */
  constructor(runs: Runs, settings: ForwardingSettings, exchange: Exchange) {
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
    if (caller.signal.aborted) this.#waiting.get(name)?.settle(undefined);
    const stopLooking = this.#lookAfter(process, name);
    try {
      const { principal } = caller;
      if (!caller.signal.aborted)
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
    const tell = async (told: Notification): Promise<void> => {
      await this.#send(from, name, { told });
    };
    // The other process knows the address that it came from; here it counts for its principal.
    const account = this.#settings.accounts.of(principal);
    const caller = { principal, account, weight: weightOf(request), signal, tell };
    const answer = await this.#exchange(request, caller);
    this.#answering.delete(name);
    // Somebody waits for it as long as this process lives.
    for (let tries = 0; tries < TRIES; tries++) {
      if (await this.#send(from, name, { answer: sendable(answer, this.#settings.report) })) return;
      await pause(this.#settings);
    }
  }

  /** Says whether it was sent. */
  async #send(process: string, name: string, letter: Letter): Promise<boolean> {
    try {
      await this.#runs.write(process, name, letter);
      return true;
    } catch (error) {
      this.#settings.report(error);
      return false;
    }
  }
}

/** An answer that can be sent. What is no JSON, because an author made it so, becomes an error. */
function sendable(answer: Answer, report: Settings["report"]): Answer {
  try {
    JSON.stringify(answer.response);
    return answer;
  } catch (error) {
    return { ...answer, response: errorResponse(answer.response.id, rpcErrorOf(error, report)) };
  }
}

const pause = ({ clock, lease }: Pick<Settings, "clock" | "lease">): Promise<void> =>
  new Promise((resolve) => {
    clock.after(lease, resolve);
  });

/** Does something every so many milliseconds, until it is stopped. */
function repeatedly(clock: Clock, every: number, act: () => void): () => void {
  let stop = clock.after(every, function again() {
    act();
    stop = clock.after(every, again);
  });
  return () => stop();
}
