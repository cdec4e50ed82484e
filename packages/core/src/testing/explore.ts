import {
  type Body,
  messageOf,
  type OpenQuestion,
  type Reply,
  type Step,
  type StepContext,
} from "../effects.ts";
import { subjectOf } from "../definitions/definition.ts";
import type { Tool } from "../definitions/tool.ts";
import {
  ScriptedResponder,
  foundIn,
  isTestError,
  type ScriptedAnswer,
  type ScriptedAnswers,
  Unscripted,
} from "./scripted-answers.ts";
import { type TranscriptEntry, deterministic, script, threwOf } from "./script.ts";
import { type Entry, memoryJournal } from "../runtime/journal.ts";
import { canonicalJson, isPlainObject } from "../util/json.ts";
import { diagnoseEffects, markUsed } from "../unyielded-effects.ts";
import { type Host, run } from "../runtime/run.ts";
import { describeValue } from "../util/describe-value.ts";
import { step } from "../effect-builders.ts";
import { testClock } from "./test-clock.ts";

/** What may be answered, by key or message, or by a function of the question: every entry is tried. */
export type Alternatives =
  | { readonly [question: string]: readonly ScriptedAnswer[] }
  | ((question: OpenQuestion) => readonly ScriptedAnswer[]);

/** One way through a tool. */
export interface Branch<Result> {
  /** The answers that led there, in order. */
  readonly answers: readonly Extract<TranscriptEntry, { answered: string }>[];
  readonly transcript: readonly TranscriptEntry[];
  readonly outcome: { readonly returned: Result } | { readonly threw: string; readonly message: string };
}

const MOST = 1000;

/** The tool has more ways than can be walked. */
class TooManyPaths extends Error {
  override readonly name = "TooManyPaths";
}

/** Runs a tool with every combination of answers. More than 1,000 paths are an error that says so. */
export async function everyBranch<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: Alternatives,
): Promise<readonly Branch<Result>[]> {
  const branches: Branch<Result>[] = [];
  for (let path: Choice[] | undefined = []; path !== undefined; path = following(path)) {
    if (branches.length === MOST) {
      throw new TooManyPaths(`${subjectOf(tool)} has more than ${MOST} paths; give it fewer answers to try.`);
    }
    branches.push(await walk(tool, input, answers, path));
  }
  return branches;
}

/** Which of how many answers was given to a question. */
interface Choice {
  readonly taken: number;
  readonly of: number;
}

/** Runs once along a path, and beyond its end with the first of every alternative, which it adds to the path. */
async function walk<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: Alternatives,
  path: Choice[],
): Promise<Branch<Result>> {
  let count = 0;
  const choose = (question: OpenQuestion): ScriptedAnswer => {
    const alternatives = alternativesFor(answers, question);
    const { taken } = (path[count++] ??= { taken: 0, of: alternatives.length });
    return alternatives[taken];
  };
  const host = script(choose, { hurry: true });
  const outcome = await host.run(tool, input).then(
    (returned) => ({ returned }),
    (error: unknown) => {
      if (isTestError(error)) throw error;
      return threwOf(error);
    },
  );
  return {
    answers: host.transcript.filter((one) => "answered" in one),
    transcript: host.transcript,
    outcome,
  };
}

function alternativesFor(answers: Alternatives, question: OpenQuestion): readonly ScriptedAnswer[] {
  const found = typeof answers === "function" ? answers(question) : foundIn(answers, question);
  if (found.length === 0) throw new Unscripted(question);
  return found;
}

/** The next path to walk: the last choice that has another answer left takes it. */
function following(path: readonly Choice[]): Choice[] | undefined {
  const last = path.findLastIndex(({ taken, of }) => taken + 1 < of);
  const choice = path[last];
  return choice === undefined ? undefined : [...path.slice(0, last), { ...choice, taken: choice.taken + 1 }];
}

/**
 * Runs a tool live, then interrupted and replayed at every point there is.
 *
 * At each yield the process is taken to end: once before what was yielded was
 * done, once after. All that is left is the journal. The run is started again
 * from it, and must end as it did live, with every step done as often as live.
 */

const MOST_SHOWN = 5;

/** An input, and what is answered on the way. */
export interface RestartScript {
  readonly input?: unknown;
  readonly answers?: ScriptedAnswers;
}

/** How a tool ended, wherever it was interrupted. */
export interface RestartReport<Result> {
  readonly outcome: { readonly returned: Result } | { readonly threw: string; readonly message: string };
  /** How often each step was done. */
  readonly steps: { readonly [step: string]: number };
  /** At how many points it was interrupted. */
  readonly restarts: number;
}

/** Throws, with both ends side by side, where a restarted run ends differently or does a step again. */
export async function restartEverywhere<Result>(
  tool: Tool<never, Result>,
  { input = {}, answers = {} }: RestartScript = {},
): Promise<RestartReport<Result>> {
  diagnoseEffects();
  const replies = new Map<string, Reply>();
  const live = await playLive(tool, input, answers, replies);
  const expected = describe(live);
  const differences: string[] = [];
  for (const point of live.points) {
    const found = describe(await playInterrupted(tool, input, replies, point));
    if (found !== expected)
      differences.push(`${point.words}:\n  - live:      ${expected}\n  + restarted: ${found}`);
  }
  if (differences.length > 0) throw new Error(complaint(subjectOf(tool), differences, live.points.length));
  return { outcome: live.outcome, steps: live.steps, restarts: live.points.length };
}

function complaint(tool: string, differences: readonly string[], restarts: number): string {
  const shown = differences.slice(0, MOST_SHOWN);
  const more = differences.length - shown.length;
  return [
    `${tool} ends differently at ${differences.length} of ${restarts} restarts.`,
    ...shown,
    ...(more > 0 ? [`… and ${more} more.`] : []),
  ].join("\n");
}

/** A point at which the process ends: before or after the n-th yield is done. */
interface Point {
  readonly yields: number;
  readonly when: "before" | "after";
  readonly words: string;
}

interface Played<Result> {
  readonly outcome: RestartReport<Result>["outcome"];
  readonly steps: RestartReport<Result>["steps"];
}

/** Runs to the end, and notes what was replied and where it could have been interrupted. */
async function playLive<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: ScriptedAnswers,
  replies: Map<string, Reply>,
): Promise<Played<Result> & { readonly points: readonly Point[] }> {
  const watch = new Watch();
  const answering = new ScriptedResponder(answers);
  const ask = async (question: OpenQuestion): Promise<Reply> => {
    const reply = await answering.hurry(question);
    replies.set(nameOf(question), reply);
    return reply;
  };
  const outcome = await ending(run(watch.over(tool), input, { ...deterministic(), clock: testClock(), ask }));
  return { outcome, steps: watch.steps, points: watch.points };
}

/** Runs up to a point, then again from the journal to the end. */
async function playInterrupted<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  replies: ReadonlyMap<string, Reply>,
  point: Point,
): Promise<Played<Result>> {
  const watch = new Watch();
  const ask = (question: OpenQuestion): Reply => {
    const reply = replies.get(nameOf(question));
    if (reply !== undefined) return reply;
    throw new Error(
      `It asked ${JSON.stringify(messageOf(question))} (${question.key}), which it never asked live.`,
    );
  };
  const host: Host = { ...deterministic(), clock: testClock(), ask };
  const journal = memoryJournal();
  const crash = watch.crashAt(point);
  nextMillisecond();
  // Never settles once it has crashed: whoever would have waited for it is gone.
  const lost = ending(run(watch.over(tool), input, { ...host, journal }));
  const early = await Promise.race([crash, lost]);
  if (early !== undefined) return { outcome: early, steps: watch.steps };
  // What a file or a sealed state gives back.
  const kept = JSON.parse(JSON.stringify(journal.entries)) as readonly Entry[];
  nextMillisecond();
  const outcome = await ending(run(watch.over(tool), input, { ...host, journal: memoryJournal(kept) }));
  return { outcome, steps: watch.steps };
}

/** Lets the real clock move on, so that a tool that reads it is found out. */
function nextMillisecond(): void {
  const before = Date.now();
  // Not for ever: a test may have stopped the real clock as well.
  for (let looks = 0; looks < 1_000_000 && Date.now() === before; looks++);
}

async function ending<Result>(running: Promise<Result>): Promise<RestartReport<Result>["outcome"]> {
  try {
    return { returned: await running };
  } catch (error) {
    if (isTestError(error)) throw error;
    return threwOf(error);
  }
}

/** A question and the how-manieth time it is asked: what a reply belongs to. */
const nameOf = ({ key, attempt }: OpenQuestion): string => `${key}@${attempt}`;

function describe({ outcome, steps }: Played<unknown>): string {
  const counts = Object.entries(steps).map(([name, count]) => `${name} ×${count}`);
  const end =
    "threw" in outcome
      ? `threw ${outcome.threw}: ${outcome.message}`
      : `returned ${canonicalJson(outcome.returned)}`;
  return `${end}; steps: ${counts.length === 0 ? "none" : counts.join(", ")}`;
}

/** Looks on while a tool runs: counts its steps, notes its yields, and ends the process where it is told to. */
class Watch {
  readonly steps: Record<string, number> = {};
  readonly points: Point[] = [];
  #crash: { readonly point: Point; readonly happened: () => void } | undefined;

  /** Settles when the point is reached. From there on, that run does nothing more. */
  crashAt(point: Point): Promise<void> {
    return new Promise((resolve) => {
      this.#crash = { point, happened: resolve };
    });
  }

  over<Result>(tool: Tool<never, Result>): Tool<never, Result> {
    return { ...tool, run: (input, context) => this.#watched(tool.run(input, context)) };
  }

  async *#watched<Result>(body: Body<Result>): Body<Result> {
    try {
      let next = await body.next();
      for (let yields = 1; next.done !== true; yields++) {
        await this.#reached(yields, "before", next.value);
        let resume: () => ReturnType<typeof body.next>;
        try {
          const value: unknown = yield this.#counted(next.value);
          resume = () => body.next(value);
        } catch (error) {
          resume = () => body.throw(error);
        }
        await this.#reached(yields, "after", next.value);
        next = await resume();
      }
      return next.value;
    } finally {
      // Of no effect on a body that has ended; one that is closed has its `finally` blocks run.
      await body.return(undefined as never);
    }
  }

  async #reached(yields: number, when: Point["when"], yielded: unknown): Promise<void> {
    this.points.push({ yields, when, words: `${when} yield ${yields} (${describeValue(yielded)})` });
    const { point, happened } = this.#crash ?? {};
    if (point?.yields !== yields || point.when !== when) return;
    this.#crash = undefined;
    happened?.();
    await new Promise(() => {});
  }

  #counted<Yielded>(yielded: Yielded): Yielded | Step {
    if (!isPlainObject(yielded) || yielded["emit"] !== "step" || typeof yielded["run"] !== "function")
      return yielded;
    // A step as `step()` makes it or as an author writes it out: both have a name and a function.
    const { name, run: act, onUnknown } = yielded as unknown as Extract<Step, { step: "call" }>;
    markUsed(yielded);
    const counting = (context: StepContext): unknown => {
      this.steps[name] = (this.steps[name] ?? 0) + 1;
      return act(context);
    };
    return step(name, counting, onUnknown === undefined ? {} : { onUnknown });
  }
}
