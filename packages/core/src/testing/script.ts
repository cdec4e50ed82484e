/**
 * Plays the people and the clock, so that a tool can be run in a test.
 *
 * Answers are scripted by key, by message, or in order. Time stands still until
 * the test moves it. Everything that happens is written into a transcript.
 */
import { program, type Client } from "../client.ts";
import type { Duration } from "../duration.ts";
import type { OpenQuestion, Reply } from "../effects.ts";
import { RunCancelled } from "../errors.ts";
import { memoryJournal, type Entry } from "../journal.ts";
import { newController, type Signal } from "../platform.ts";
import { run as runTool, type Host } from "../run.ts";
import type { Tool } from "../tool.ts";
import { answering, hurriedReply, type ScriptedAnswers } from "./answering.ts";
import { sameEveryTime } from "./same-every-time.ts";
import { speak } from "./scripted.ts";
import { testClock, type TestClock } from "./test-clock.ts";
import { askedOf, happeningOf, threwOf, type Happening } from "./transcript.ts";

export interface ScriptOptions {
  /** What the client can do: everything, without this. */
  readonly can?: Partial<Client["can"]>;
  /** No time passes: what comes later comes at once, and what comes too late, or never, is a timeout at once. */
  readonly hurry?: boolean;
  /** Further settings of the run. */
  readonly host?: Omit<Host, "ask" | "clock" | "signal" | "journal">;
}

export interface ScriptHost {
  readonly clock: TestClock;
  /** Everything that happened, in its order. */
  readonly transcript: readonly Happening[];
  /** What the run has recorded so far. */
  readonly journal: readonly Entry[];
  /** The question that is open, or the next one to be. */
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
  const clock = testClock();
  const controller = newController();
  const transcript: Happening[] = [];
  const open = new Openings();
  const answerTo = answering(answers);
  let journal = memoryJournal();

  async function ask(question: OpenQuestion, signal: Signal): Promise<Reply | undefined> {
    transcript.push(askedOf(question));
    open.add(question);
    signal.addEventListener("abort", () => open.remove(question), { once: true });
    const answer = answerTo(question);
    if (options.hurry === true) return hurriedReply(answer, question);
    const { reply, wait } = await speak(answer, question);
    if (reply === undefined) return new Promise(() => {});
    if (wait > 0) await passing(clock, wait);
    return reply;
  }

  async function play<Result>(tool: Tool<never, Result>, input: unknown): Promise<Result> {
    journal = memoryJournal();
    const host: Host = {
      ...sameEveryTime(),
      client: { ...program, name: "script", can: { ...program.can, ...options.can } },
      ...options.host,
      emit: async (effect) => {
        transcript.push(effect);
        await options.host?.emit?.(effect);
      },
      ask,
      journal: {
        entries: journal.entries,
        append(entry) {
          const happening = happeningOf(entry);
          if (happening !== undefined) transcript.push(happening);
          return journal.append(entry);
        },
      },
      clock,
      signal: controller.signal,
    };
    const returned = await runTool(tool, input, host);
    transcript.push({ returned });
    return returned;
  }

  return {
    clock,
    transcript,
    signal: controller.signal,
    get journal() {
      return journal.entries;
    },
    get asked() {
      return open.next();
    },
    run: (tool, input = {}) =>
      play(tool, input).catch((error: unknown) => {
        transcript.push(threwOf(error));
        throw error;
      }),
    advance: (duration) => clock.advance(duration),
    abort: (reason = new RunCancelled()) => controller.abort(reason),
  };
}

function passing(clock: TestClock, wait: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(wait, resolve);
  });
}

/** The questions that are open, and who waits for one to be. */
class Openings {
  readonly #open = new Set<OpenQuestion>();
  #waiting: ((question: OpenQuestion) => void)[] = [];

  add(question: OpenQuestion): void {
    this.#open.add(question);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake(question);
  }

  remove(question: OpenQuestion): void {
    this.#open.delete(question);
  }

  next(): Promise<OpenQuestion> {
    const [first] = this.#open;
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
