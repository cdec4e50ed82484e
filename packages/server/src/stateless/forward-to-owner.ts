/**
 * A request for a call that only another process has: it is answered there, and what comes of it is passed back.
 *
 *   1. The request waits as long as that process lives. Once it has died the call is gone, and the client is told so.
 *   2. What is told on the way comes back in its order, before the answer.
 *   3. A client that goes away cancels the request there, too.
 */
import type { Accounts } from "../accounts.ts";
import { every } from "../util/timers.ts";
import { LightAbortSignal } from "../util/light-abort.ts";
import { errorResponse, toRpcError } from "../jsonrpc/errors.ts";
import type { Notification, Request } from "../jsonrpc/messages.ts";
import type { StatelessResponse, RequestContext, HandleStateless } from "../connection.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { Settings } from "../settings.ts";
import type { ForwardMessage } from "../durable/process-bus.ts";

/** How often it is tried to send an answer, while the store is away. */
const TRIES = 20;

/** A request that was forwarded. */
interface Waiting {
  readonly caller: RequestContext;
  readonly settle: (answer: StatelessResponse | undefined) => void;
}

interface ForwardingSettings extends Pick<Settings, "clock" | "lease" | "report"> {
  readonly accounts: Accounts;
}

export class OwnerForwarding {
  readonly #runs: RunRepository;
  readonly #settings: ForwardingSettings;
  readonly #exchange: HandleStateless;
  /** By the names of the messages. */
  readonly #waiting = new Map<string, Waiting>();
  /** Those that are answered here for others. */
  readonly #answering = new Map<string, LightAbortSignal>();

  /** `exchange` answers here. */
  constructor(runs: RunRepository, settings: ForwardingSettings, exchange: HandleStateless) {
    this.#runs = runs;
    this.#settings = settings;
    this.#exchange = exchange;
    runs.onMessage((name, message) => this.#read(name, message));
  }

  /** Has a request answered by the process that has its call; nothing, where that has died. */
  async forward(
    process: string,
    request: Request,
    caller: RequestContext,
  ): Promise<StatelessResponse | undefined> {
    await this.#runs.subscribe();
    if (!(await this.#runs.isAlive(process))) return undefined;
    const name = crypto.randomUUID();
    const answered = new Promise<StatelessResponse | undefined>((settle) => {
      this.#waiting.set(name, { caller, settle });
    });
    const left = (): void => void this.#send(process, name, { left: true });
    caller.signal.addEventListener("abort", left);
    if (caller.signal.aborted) this.#waiting.get(name)?.settle(undefined);
    const stopLooking = this.#lookAfter(process, name);
    try {
      const { principal } = caller;
      if (!caller.signal.aborted)
        await this.#runs.sendTo(process, name, { request, principal, from: this.#runs.process });
      return await answered;
    } finally {
      stopLooking();
      caller.signal.removeEventListener("abort", left);
      this.#waiting.delete(name);
    }
  }

  /** Looks again and again whether a process lives, for as long as a request waits for it. */
  #lookAfter(process: string, name: string): () => void {
    const { clock, lease, report } = this.#settings;
    return every(clock, lease, () => {
      this.#runs.isAlive(process).then(
        (isAlive) => isAlive || this.#waiting.get(name)?.settle(undefined),
        (error: unknown) => report(error),
      );
    });
  }

  #read(name: string, message: ForwardMessage): void {
    if ("request" in message) void this.#answer(name, message.from, message.request, message.principal);
    else if ("left" in message) this.#answering.get(name)?.abort();
    else if ("answer" in message) this.#waiting.get(name)?.settle(message.answer);
    else void this.#waiting.get(name)?.caller.notify(message.told);
  }

  /** Answers a request that came to another process. */
  async #answer(name: string, from: string, request: Request, principal: string): Promise<void> {
    const signal = new LightAbortSignal();
    this.#answering.set(name, signal);
    const tell = async (told: Notification): Promise<void> => {
      await this.#send(from, name, { told });
    };
    // The other process knows the address that it came from; here it counts for its principal.
    const account = this.#settings.accounts.of(principal);
    const caller = { principal, account, weight: estimateBytes(request), signal, notify: tell };
    const answer = await this.#exchange(request, caller);
    this.#answering.delete(name);
    // The other process waits for it as long as this one lives.
    for (let tries = 0; tries < TRIES; tries++) {
      if (await this.#send(from, name, { answer: sendable(answer, this.#settings.report) })) return;
      await pause(this.#settings);
    }
  }

  /** Says whether it was sent. */
  async #send(process: string, name: string, message: ForwardMessage): Promise<boolean> {
    try {
      await this.#runs.sendTo(process, name, message);
      return true;
    } catch (error) {
      this.#settings.report(error);
      return false;
    }
  }
}

/** An answer that can be sent. What is no JSON, because an author made it so, becomes an error. */
function sendable(answer: StatelessResponse, report: Settings["report"]): StatelessResponse {
  try {
    JSON.stringify(answer.response);
    return answer;
  } catch (error) {
    return { ...answer, response: errorResponse(answer.response.id, toRpcError(error, report)) };
  }
}

const pause = ({ clock, lease }: Pick<Settings, "clock" | "lease">): Promise<void> =>
  new Promise((resolve) => {
    clock.after(lease, resolve);
  });
