/**
 * Plays the people and the clock, so that a tool can be run in a test.
 *
 * Answers are scripted by key, by message, or in order. Time stands still until
 * the test moves it. Everything that happens is written into a transcript.
 */
import { type Client, inProcessClient } from "../client.ts";
import type { Duration } from "../util/time.ts";
import { type Emit, messageOf, type OpenQuestion, type Reply } from "../effects.ts";
import { RunCancelled } from "../errors.ts";
import { type Entry, type Journal, memoryJournal } from "../runtime/journal.ts";
import { diagnoseEffects } from "../unyielded-effects.ts";
import { newController, type Signal } from "../util/platform.ts";
import { resultOf } from "../runtime/result.ts";
import { type Host, run as runTool } from "../runtime/run.ts";
import type { RunOptions } from "../runtime/environment.ts";
import { loadValidator } from "../schema/validator.ts";
import type { Tool } from "../definitions/tool.ts";
import { ScriptedResponder, type ScriptedAnswers } from "./scripted-answers.ts";
import { testClock, type TestClock } from "./test-clock.ts";
import { omitUndefined, type Json } from "../util/json.ts";

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
  readonly transcript: readonly TranscriptEntry[];
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
  readonly transcript: TranscriptEntry[] = [];
  readonly #options: ScriptOptions;
  readonly #can: Client["can"];
  readonly #answering: ScriptedResponder;
  readonly #controller = newController();
  readonly #open = new QuestionQueue();
  /** Loading it takes time that the clock of a test does not measure. */
  readonly #ready = loadValidator();
  #journal: Journal = memoryJournal();

  constructor(answers: ScriptedAnswers, options: ScriptOptions) {
    this.#options = options;
    this.clock = options.clock ?? testClock();
    this.#can = { ...inProcessClient.can, ...options.can };
    this.#answering = new ScriptedResponder(answers);
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
      ...deterministic(),
      client: { ...inProcessClient, name: "script", can: this.#can },
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

interface Waiting {
  readonly resolve: (question: OpenQuestion) => void;
  readonly reject: (error: Error) => void;
}

/** The questions that are open, and who waits for one to be. */
class QuestionQueue {
  readonly #open = new Set<OpenQuestion>();
  #waiting: Waiting[] = [];
  #runs = 0;

  /** A run has begun. */
  begin(): void {
    this.#runs += 1;
  }

  /** A run has ended. Where it was the last, whoever waits for a question waits in vain. */
  end(): void {
    this.#runs -= 1;
    if (this.#runs > 0) return;
    for (const { reject } of this.#taken()) reject(new Error("The tool ended before it asked anything."));
  }

  add(question: OpenQuestion): void {
    this.#open.add(question);
    for (const { resolve } of this.#taken()) resolve(question);
  }

  remove(question: OpenQuestion): void {
    this.#open.delete(question);
  }

  next(): Promise<OpenQuestion> {
    const [first] = this.#open;
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #taken(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

/** One thing that happened in a run, as a test reads it. */
export type TranscriptEntry =
  | Emit
  | { readonly asked: string; readonly message: string; readonly attempt?: number; readonly hint?: string }
  | { readonly answered: string; readonly action: Reply["action"]; readonly value?: unknown }
  | { readonly step: string; readonly value?: Json; readonly error?: string }
  | { readonly returned: unknown }
  | { readonly threw: string; readonly message: string };

/** That a question was asked; attempt and hint where it was not the first time. */
function askedOf(question: OpenQuestion): TranscriptEntry {
  const { key, attempt, hint } = question;
  return {
    asked: key,
    message: messageOf(question),
    ...omitUndefined({ attempt: attempt > 1 ? attempt : undefined, hint }),
  };
}

/** What an entry of the journal tells a reader: a reply to a question, or a step done. */
function happeningOf(entry: Entry): TranscriptEntry | undefined {
  if ("secret" in entry) return { answered: entry.key, action: "accept", value: "[secret]" };
  // What is journalled as a reply was one.
  if ("reply" in entry) return { answered: entry.key, ...(entry.reply as Reply) };
  if (!("step" in entry) || "begun" in entry) return undefined;
  const { step, value, error } = entry;
  return { step, ...omitUndefined({ value, error: error?.message }) };
}

/** What came out of a run that threw. */
export function threwOf(error: unknown): { readonly threw: string; readonly message: string } {
  if (!(error instanceof Error)) return { threw: "Error", message: String(error) };
  return { threw: error.name, message: error.message };
}

/** What would differ from run to run, made the same in every test: the run's id, chance, UUIDs. */
export function deterministic(): Pick<Required<RunOptions>, "runId" | "random" | "uuid"> {
  let uuids = 0;
  return {
    runId: "test-run",
    random: () => 0.5,
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}`,
  };
}
