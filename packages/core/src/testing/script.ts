/**
 * A host for tests: it answers questions from a script, and its clock is moved by the test.
 *
 * Answers are scripted by key, by message, or in order. Everything that happens is recorded in a transcript.
 */
import { type Client, inProcessClient } from "../client.ts";
import { type Clock, type Duration, milliseconds } from "../util/time.ts";
import { type Emit, messageOf, type OpenQuestion, type Reply } from "../effects.ts";
import { RunCancelled } from "../errors.ts";
import { type JournalEntry, type Journal, memoryJournal } from "../runtime/journal.ts";
import { diagnoseEffects } from "../unyielded-effects.ts";
import { createAbortController, nextMacrotask, type Signal } from "../util/platform.ts";
import { resultOf } from "../runtime/result.ts";
import { type Host, run as runTool } from "../runtime/run.ts";
import type { RunOptions } from "../runtime/environment.ts";
import { loadValidator } from "../schema/validator.ts";
import { ScriptedResponder, type ScriptedAnswers } from "./scripted-answers.ts";
import { type InputArgument, prepareTool, type ToolUnderTest } from "./tool-under-test.ts";
import { omitUndefined, type Json } from "../util/json.ts";

/** A clock that a test moves by hand. */
export interface TestClock extends Clock {
  /** Moves the time, and calls back the timers that are due, in order. */
  advance(duration: Duration): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Starts at 2026-01-01, unless given another time. */
export function testClock(start: number = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  const waiting = new Set<Timer>();
  const dueBy = (end: number): Timer | undefined =>
    [...waiting].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    after(wait, callback) {
      const one = { at: now + wait, callback };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    async advance(duration) {
      const end = now + milliseconds(duration);
      await nextMacrotask();
      for (let due = dueBy(end); due !== undefined; due = dueBy(end)) {
        waiting.delete(due);
        now = due.at;
        due.callback();
        await nextMacrotask();
      }
      now = end;
    },
  };
}

/** The options of `script`. */
export interface ScriptOptions {
  /** Capabilities of the client. Default: all. Other questions are answered with `unsupported`. */
  readonly can?: Partial<Client["can"]>;
  /** Delayed answers are given immediately; answers that would come too late, or never, are a timeout immediately. */
  readonly hurry?: boolean;
  /** A clock to share with others. */
  readonly clock?: TestClock;
  /** Further options of the run. */
  readonly host?: Omit<Host, "ask" | "clock" | "signal" | "journal">;
}

/** A host with scripted answers. A question without one fails the run. */
export function script(answers: ScriptedAnswers = {}, options: ScriptOptions = {}): ScriptHost {
  diagnoseEffects();
  return new ScriptHost(answers, options);
}

/** Runs tools in a test: it answers their questions and records what happens. `script()` creates one. */
export class ScriptHost {
  readonly clock: TestClock;
  readonly #transcript: TranscriptEntry[] = [];
  readonly #options: ScriptOptions;
  readonly #can: Client["can"];
  readonly #responder: ScriptedResponder;
  readonly #controller = createAbortController();
  readonly #questions = new QuestionQueue();
  /** Loading takes real time, which the clock of the test does not measure. */
  readonly #ready = loadValidator();
  #journal: Journal = memoryJournal();

  constructor(answers: ScriptedAnswers, options: ScriptOptions) {
    this.#options = options;
    this.clock = options.clock ?? testClock();
    this.#can = { ...inProcessClient.can, ...options.can };
    this.#responder = new ScriptedResponder(answers);
  }

  /** Everything that happened, in order. */
  get transcript(): readonly TranscriptEntry[] {
    return this.#transcript;
  }

  /** The entries that the last run has recorded so far. */
  get journal(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  /** The open question, or the next one. Rejects if the tool ends before it asks. */
  get asked(): Promise<OpenQuestion> {
    return this.#questions.next();
  }

  get signal(): Signal {
    return this.#controller.signal;
  }

  /** Runs a tool, or a function that returns a body, to its end. */
  run<Input, Result>(tested: ToolUnderTest<Input, Result>, ...given: InputArgument<Input>): Promise<Result> {
    const running = this.#run(tested, given.length === 0 ? {} : given[0]);
    // A test may await it only after it has moved the clock.
    running.catch(() => {});
    return running;
  }

  /** Moves the clock. */
  async advance(duration: Duration): Promise<void> {
    await this.#ready;
    await this.clock.advance(duration);
  }

  /** Closes the run, like a client that disconnects. */
  abort(reason: unknown = new RunCancelled()): void {
    this.#controller.abort(reason);
  }

  async #run<Input, Result>(tested: ToolUnderTest<Input, Result>, given: unknown): Promise<Result> {
    this.#questions.runStarted();
    try {
      const { tool, input } = prepareTool(tested, given);
      const host = this.#host();
      await this.#ready;
      const returned = await runTool(tool, input, host);
      // Checks the output, as a server does.
      if (tool.output !== undefined)
        await resultOf(tool, { done: true, value: returned, artifacts: [], streamed: "" });
      this.#transcript.push({ returned });
      return returned;
    } catch (error) {
      this.#transcript.push(describeThrown(error));
      throw error;
    } finally {
      this.#questions.runEnded();
    }
  }

  /** The options of one run, with its own journal. */
  #host(): Host {
    const { host } = this.#options;
    const journal = memoryJournal();
    this.#journal = journal;
    return {
      ...deterministic(),
      client: { ...inProcessClient, name: "script", can: this.#can },
      ...host,
      emit: async (effect) => {
        this.#transcript.push(effect);
        await host?.emit?.(effect);
      },
      ask: (question, { signal }) => this.#ask(question, signal),
      journal: {
        entries: journal.entries,
        append: (entry) => {
          const transcriptEntry = transcriptEntryOf(entry);
          if (transcriptEntry !== undefined) this.#transcript.push(transcriptEntry);
          return journal.append(entry);
        },
      },
      clock: this.clock,
      signal: this.signal,
    };
  }

  async #ask(question: OpenQuestion, signal: Signal): Promise<Reply> {
    this.#transcript.push(askedOf(question));
    if (!canShow(question, this.#can)) return { action: "unsupported" };
    this.#questions.add(question);
    signal.addEventListener("abort", () => this.#questions.remove(question), { once: true });
    if (this.#options.hurry === true) return this.#responder.replyInstantly(question);
    const { reply, wait } = await this.#responder.reply(question);
    if (wait > 0) await sleep(this.clock, wait);
    return reply ?? new Promise(() => {});
  }
}

function canShow(question: OpenQuestion, can: Client["can"]): boolean {
  if (question.emit !== "ask") return can[question.emit];
  if (question.ask === "secret" || question.ask === "file") return true;
  return question.ask === "url" ? can.url : can.form;
}

function sleep(clock: TestClock, wait: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(wait, resolve);
  });
}

interface Waiting {
  readonly resolve: (question: OpenQuestion) => void;
  readonly reject: (error: Error) => void;
}

/** The open questions, and the promises that wait for one. */
class QuestionQueue {
  readonly #open = new Set<OpenQuestion>();
  #waiting: Waiting[] = [];
  #runs = 0;

  runStarted(): void {
    this.#runs += 1;
  }

  /** Rejects the waiting promises if this was the last run. */
  runEnded(): void {
    this.#runs -= 1;
    if (this.#runs > 0) return;
    for (const { reject } of this.#takeWaiting())
      reject(new Error("The tool ended before it asked anything."));
  }

  add(question: OpenQuestion): void {
    this.#open.add(question);
    for (const { resolve } of this.#takeWaiting()) resolve(question);
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

  #takeWaiting(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

/** Something that happened in a run: an emit, a question, a reply, a step, or the end. */
export type TranscriptEntry =
  | Emit
  | { readonly asked: string; readonly message: string; readonly attempt?: number; readonly hint?: string }
  | { readonly answered: string; readonly action: Reply["action"]; readonly value?: unknown }
  | { readonly step: string; readonly value?: Json; readonly error?: string }
  | { readonly returned: unknown }
  | { readonly threw: string; readonly message: string };

function askedOf(question: OpenQuestion): TranscriptEntry {
  const { key, attempt, hint } = question;
  return {
    asked: key,
    message: messageOf(question),
    ...omitUndefined({ attempt: attempt > 1 ? attempt : undefined, hint }),
  };
}

function transcriptEntryOf(entry: JournalEntry): TranscriptEntry | undefined {
  if ("secret" in entry) return { answered: entry.key, action: "accept", value: "[secret]" };
  // The journal has only replies that were parsed.
  if ("reply" in entry) return { answered: entry.key, ...(entry.reply as Reply) };
  if (!("step" in entry) || "begun" in entry) return undefined;
  const { step, value, error } = entry;
  return { step, ...omitUndefined({ value, error: error?.message }) };
}

export function describeThrown(error: unknown): { readonly threw: string; readonly message: string } {
  if (!(error instanceof Error)) return { threw: "Error", message: String(error) };
  return { threw: error.name, message: error.message };
}

/** The run's id, random numbers and UUIDs are the same in every test. */
export function deterministic(): Pick<Required<RunOptions>, "runId" | "random" | "uuid"> {
  let uuids = 0;
  return {
    runId: "test-run",
    random: () => 0.5,
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, "0")}`,
  };
}
