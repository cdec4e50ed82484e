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
import { resultOf } from "../result.ts";
import { run as runTool, type Host } from "../run.ts";
import { loadValidator } from "../schema/validate.ts";
import type { Tool } from "../tool.ts";
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
  const clock = options.clock ?? testClock();
  const controller = newController();
  const transcript: Happening[] = [];
  const open = new Openings();
  const answering = new Answering(answers);
  const can = { ...program.can, ...options.can };
  // Loading it would take time that no test's clock knows of.
  const ready = loadValidator();
  let journal = memoryJournal();

  async function ask(
    question: OpenQuestion,
    { signal }: { readonly signal: Signal },
  ): Promise<Reply | undefined> {
    transcript.push(askedOf(question));
    if (!canShow(question, can)) return { action: "unsupported" };
    open.add(question);
    signal.addEventListener("abort", () => open.remove(question), { once: true });
    if (options.hurry === true) return answering.hurry(question);
    const { reply, wait } = await answering.speak(question);
    if (reply === undefined) return new Promise(() => {});
    if (wait > 0) await passing(clock, wait);
    return reply;
  }

  async function play<Result>(tool: Tool<never, Result>, input: unknown): Promise<Result> {
    const own = memoryJournal();
    journal = own;
    await ready;
    const returned = await runTool(tool, input, {
      ...sameEveryTime(),
      client: { ...program, name: "script", can },
      ...options.host,
      emit: async (effect) => {
        transcript.push(effect);
        await options.host?.emit?.(effect);
      },
      ask,
      journal: {
        entries: own.entries,
        append(entry) {
          const happening = happeningOf(entry);
          if (happening !== undefined) transcript.push(happening);
          return own.append(entry);
        },
      },
      clock,
      signal: controller.signal,
    });
    if (tool.output !== undefined)
      await resultOf(tool, { done: true, value: returned, artifacts: [], streamed: "" });
    transcript.push({ returned });
    return returned;
  }

  async function recorded<Result>(tool: Tool<never, Result>, input: unknown): Promise<Result> {
    open.begin();
    try {
      return await play(tool, input);
    } catch (error) {
      transcript.push(threwOf(error));
      throw error;
    } finally {
      open.end();
    }
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
    run(tool, input = {}) {
      const running = recorded(tool, input);
      // A test may look at it only after it has moved the clock.
      running.catch(() => {});
      return running;
    },
    async advance(duration) {
      await ready;
      await clock.advance(duration);
    },
    abort: (reason = new RunCancelled()) => controller.abort(reason),
  };
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
