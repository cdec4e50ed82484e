import type {
  AnsweredEarly,
  Answerer,
  Client,
  Clock,
  Duration,
  Emit,
  Journal,
  Runnable,
  RunOptions,
  StepNews,
  Timeout,
  Trace,
  Vault,
} from "@photon/core";
import type { Auditor } from "./audit.ts";
import type { Front } from "./front.ts";

/** What the run of a call is started with. It is there for as long as the run, so it holds next to nothing of its own. */
export class CallOptions implements RunOptions {
  readonly runId: string | undefined;
  readonly journal: Journal | undefined;
  readonly trace: Trace | undefined;
  declare readonly secrets?: Vault;
  readonly #definition: Runnable<never, unknown>;
  readonly #front: Front;
  readonly #auditor: Auditor | undefined;

  constructor(definition: Runnable<never, unknown>, front: Front, auditor: Auditor | undefined) {
    const { runId, journal, trace, secrets } = front.options(definition);
    this.runId = runId;
    this.journal = journal;
    this.trace = trace;
    if (secrets !== undefined) this.secrets = secrets;
    this.#definition = definition;
    this.#front = front;
    this.#auditor = auditor;
  }

  get answerers(): readonly Answerer[] {
    return this.#front.settings.answerers;
  }

  get client(): Client {
    return this.#front.client;
  }

  get clock(): Clock {
    return this.#front.settings.clock;
  }

  get askTimeout(): Timeout | undefined {
    return this.#front.settings.askTimeout;
  }

  get grace(): Duration | undefined {
    return this.#front.settings.grace;
  }

  answered(early: AnsweredEarly): void {
    this.#auditor?.hearEarly(early);
  }

  emit(effect: Emit): void | Promise<void> {
    if (effect.emit === "log") this.#front.settings.log?.(effect, this.#definition.name ?? "");
    return this.#front.emit(effect);
  }

  step(news: StepNews): void | Promise<void> {
    return this.#front.step(news);
  }

  report(error: unknown): void {
    this.#front.settings.report(error);
  }
}
