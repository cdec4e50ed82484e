/**
 * Plays the people and the clock, so that a tool can be run in a test.
 *
 * Answers are scripted by key, by message, or in order. Time stands still until
 * the test moves it. Everything that happens is written into a transcript.
 */
import { program, type Client } from "../client.ts";
import type { Duration } from "../util/time.ts";
import type { OpenQuestion, Reply } from "../effects.ts";
import { RunCancelled } from "../errors.ts";
import { type Entry, type Journal, memoryJournal } from "../runtime/journal.ts";
import { diagnoseEffects } from "../unyielded-effects.ts";
import { newController, type Signal } from "../util/platform.ts";
import { resultOf } from "../runtime/result.ts";
import { type Host, run as runTool } from "../runtime/run.ts";
import { loadValidator } from "../schema/validator.ts";
import type { Tool } from "../definitions/tool.ts";
import { Answering, type ScriptedAnswers } from "./answering.ts";
import { Openings } from "./openings.ts";
import { sameEveryTime } from "./same-every-time.ts";
import { testClock, type TestClock } from "./test-clock.ts";
import { askedOf, happeningOf, threwOf, type Happening } from "./transcript.ts";

export interface ScriptOptions {
  /** What the client can do: everything, without this. What it cannot is replied to with `unsupported`. */
  readonly can?: Partial<Client["can"]>;
  /** No time passes: what comes later comes at once, and what comes too late, or never, is a timeout at once. */
  readonly hurry?: boolean;
  /** A clock to share with others. */
  readonly clock?: TestClock;
  /** Further settings of the run. */
  readonly host?: Omit<Host, "ask" | "clock" | "signal" | "journal">;
}

export interface ScriptHost {
  readonly clock: TestClock;
  /** Everything that happened, in its order. */
  readonly transcript: readonly Happening[];
  /** What the last run has recorded so far. */
  readonly journal: readonly Entry[];
  /** The question that is open, or the next one to be. Rejects where the tool ends before it asks. */
  readonly asked: Promise<OpenQuestion>;
  readonly signal: Signal;
  run<Result>(tool: Tool<never, Result>, input?: unknown): Promise<Result>;
  /** Moves the clock. */
  advance(duration: Duration): Promise<void>;
  /** Closes the run, as a client does that goes away. */
  abort(reason?: unknown): void;
}

/** A host that answers as it was told. A question it was told nothing about fails the run. */
export function script(answers: ScriptedAnswers = {}, options: ScriptOptions = {}): ScriptHost {
  diagnoseEffects();
  return new Script(answers, options);
}

class Script implements ScriptHost {
  readonly clock: TestClock;
  readonly transcript: Happening[] = [];
  readonly #options: ScriptOptions;
  readonly #can: Client["can"];
  readonly #answering: Answering;
  readonly #controller = newController();
  readonly #open = new Openings();
  /** Loading it takes time that the clock of a test does not measure. */
  readonly #ready = loadValidator();
  #journal: Journal = memoryJournal();

  constructor(answers: ScriptedAnswers, options: ScriptOptions) {
    this.#options = options;
    this.clock = options.clock ?? testClock();
    this.#can = { ...program.can, ...options.can };
    this.#answering = new Answering(answers);
  }

  get journal(): readonly Entry[] {
    return this.#journal.entries;
  }

  get asked(): Promise<OpenQuestion> {
    return this.#open.next();
  }

  get signal(): Signal {
    return this.#controller.signal;
  }

  run<Result>(tool: Tool<never, Result>, input: unknown = {}): Promise<Result> {
    const running = this.#play(tool, input);
    // A test may look at it only after it has moved the clock.
    running.catch(() => {});
    return running;
  }

  async advance(duration: Duration): Promise<void> {
    await this.#ready;
    await this.clock.advance(duration);
  }

  abort(reason: unknown = new RunCancelled()): void {
    this.#controller.abort(reason);
  }

  async #play<Result>(tool: Tool<never, Result>, input: unknown): Promise<Result> {
    this.#open.begin();
    try {
      const host = this.#host();
      await this.#ready;
      const returned = await runTool(tool, input, host);
      if (tool.output !== undefined) {
        // What a server would do with it, for the checks that come with that.
        await resultOf(tool, { done: true, value: returned, artifacts: [], streamed: "" });
      }
      this.transcript.push({ returned });
      return returned;
    } catch (error) {
      this.transcript.push(threwOf(error));
      throw error;
    } finally {
      this.#open.end();
    }
  }

  /** What one run is given, with a journal of its own. */
  #host(): Host {
    const { host } = this.#options;
    const journal = memoryJournal();
    this.#journal = journal;
    return {
      ...sameEveryTime(),
      client: { ...program, name: "script", can: this.#can },
      ...host,
      emit: async (effect) => {
        this.transcript.push(effect);
        await host?.emit?.(effect);
      },
      ask: (question, { signal }) => this.#ask(question, signal),
      journal: {
        entries: journal.entries,
        append: (entry) => {
          const happening = happeningOf(entry);
          if (happening !== undefined) this.transcript.push(happening);
          return journal.append(entry);
        },
      },
      clock: this.clock,
      signal: this.signal,
    };
  }

  async #ask(question: OpenQuestion, signal: Signal): Promise<Reply> {
    this.transcript.push(askedOf(question));
    if (!canShow(question, this.#can)) return { action: "unsupported" };
    this.#open.add(question);
    signal.addEventListener("abort", () => this.#open.remove(question), { once: true });
    if (this.#options.hurry === true) return this.#answering.hurry(question);
    const { reply, wait } = await this.#answering.speak(question);
    if (wait > 0) await passing(this.clock, wait);
    return reply ?? new Promise(() => {});
  }
}

/** Whether a client can be asked that: forms and web addresses, its model, its roots. */
function canShow(question: OpenQuestion, can: Client["can"]): boolean {
  if (question.emit !== "ask") return can[question.emit];
  if (question.ask === "secret" || question.ask === "file") return true;
  return question.ask === "url" ? can.url : can.form;
}

function passing(clock: TestClock, wait: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(wait, resolve);
  });
}
