/**
 * Runs a tool many times: with every combination of answers (`everyBranch`), and interrupted at every point
 * (`restartEverywhere`).
 */
import {
  type Body,
  messageOf,
  type OpenQuestion,
  type Reply,
  type Step,
  type StepContext,
} from "../effects.ts";
import { subjectOf } from "../definitions/runnable.ts";
import type { Tool } from "../definitions/tool.ts";
import {
  ScriptedResponder,
  findByName,
  isTestError,
  type ScriptedAnswer,
  type ScriptedAnswers,
  Unscripted,
} from "./scripted-answers.ts";
import { type TranscriptEntry, deterministic, script, describeThrown, testClock } from "./script.ts";
import { type JournalEntry, memoryJournal } from "../runtime/journal.ts";
import { prepareTool, type ToolUnderTest } from "./tool-under-test.ts";
import { canonicalJson, isPlainObject } from "../util/json.ts";
import { diagnoseEffects, markUsed } from "../unyielded-effects.ts";
import { type Host, run } from "../runtime/run.ts";
import { describeValue } from "../util/describe-value.ts";
import { step } from "../effect-builders.ts";

/** The answers to try, by key or message, or by a function of the question. */
export type Alternatives =
  | { readonly [question: string]: readonly ScriptedAnswer[] }
  | ((question: OpenQuestion) => readonly ScriptedAnswer[]);

/** How a run ended. */
type RunOutcome<Result> =
  | { readonly returned: Result }
  | { readonly threw: string; readonly message: string };

/** One run of a tool, with one combination of answers. */
export interface Branch<Result> {
  /** The answers of this branch, in order. */
  readonly answers: readonly Extract<TranscriptEntry, { answered: string }>[];
  readonly transcript: readonly TranscriptEntry[];
  readonly outcome: RunOutcome<Result>;
}

const MAX_BRANCHES = 1000;

class TooManyBranches extends Error {
  override readonly name = "TooManyBranches";
}

/** Runs a tool, or a function that returns a body, with every combination of answers. Throws for more than 1,000 branches. */
export async function everyBranch<Input, Result>(
  tested: ToolUnderTest<Input, Result>,
  given: NoInfer<Input>,
  answers: Alternatives,
): Promise<readonly Branch<Result>[]> {
  const { tool, input } = prepareTool(tested, given);
  const branches: Branch<Result>[] = [];
  for (let choices: Choice[] | undefined = []; choices !== undefined; choices = nextChoices(choices)) {
    if (branches.length === MAX_BRANCHES) {
      throw new TooManyBranches(
        `${subjectOf(tool)} has more than ${MAX_BRANCHES} branches; give it fewer answers to try.`,
      );
    }
    branches.push(await runBranch(tool, input, answers, choices));
  }
  return branches;
}

/** Which of how many answers was given to a question. */
interface Choice {
  readonly taken: number;
  readonly of: number;
}

/** Runs with the choices made so far, then with the first of all alternatives, which it adds to them. */
async function runBranch<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: Alternatives,
  choices: Choice[],
): Promise<Branch<Result>> {
  let count = 0;
  const choose = (question: OpenQuestion): ScriptedAnswer => {
    const found = typeof answers === "function" ? answers(question) : findByName(answers, question);
    if (found.length === 0) throw new Unscripted(question);
    const { taken } = (choices[count++] ??= { taken: 0, of: found.length });
    return found[taken];
  };
  const host = script(choose, { hurry: true });
  const outcome = await outcomeOf(host.run(tool, input));
  const { transcript } = host;
  return { answers: transcript.filter((one) => "answered" in one), transcript, outcome };
}

/** The choices of the next branch: the last one that has another answer takes it. */
function nextChoices(choices: readonly Choice[]): Choice[] | undefined {
  const last = choices.findLastIndex(({ taken, of }) => taken + 1 < of);
  const choice = choices[last];
  return choice === undefined
    ? undefined
    : [...choices.slice(0, last), { ...choice, taken: choice.taken + 1 }];
}

const MAX_SHOWN = 5;

/** The input of a run, and the answers to its questions. The input may be left out if `{}` is a valid input. */
export type RestartScript<Input = unknown> = { readonly answers?: ScriptedAnswers } & ({} extends Input
  ? { readonly input?: Input }
  : { readonly input: Input });

/** What `restartEverywhere` found. */
export interface RestartReport<Result> {
  readonly outcome: RunOutcome<Result>;
  /** How often each step was done. */
  readonly steps: { readonly [step: string]: number };
  /** At how many points the tool was interrupted. */
  readonly restarts: number;
}

/**
 * Runs a tool, or a function that returns a body, then simulates a crash before and after each of its yields, and replays the
 * run from its journal. Throws, with both outcomes side by side, if a replayed run ends differently or does a step again.
 */
export async function restartEverywhere<Input, Result>(
  tested: ToolUnderTest<Input, Result>,
  ...[given]: {} extends Input ? [given?: RestartScript<Input>] : [given: RestartScript<Input>]
): Promise<RestartReport<Result>> {
  const { answers = {}, ...rest } = given ?? {};
  const { tool, input } = prepareTool(tested, "input" in rest ? rest.input : {});
  diagnoseEffects();
  const replies = new Map<string, Reply>();
  const live = await runLive(tool, input, answers, replies);
  const expected = formatRun(live);
  const differences: string[] = [];
  for (const point of live.points) {
    const found = formatRun(await runInterrupted(tool, input, replies, point));
    if (found !== expected)
      differences.push(`${point.description}:\n  - live:      ${expected}\n  + restarted: ${found}`);
  }
  const restarts = live.points.length;
  if (differences.length === 0) return { outcome: live.outcome, steps: live.steps, restarts };
  const more = differences.length - MAX_SHOWN;
  throw new Error(
    [
      `${subjectOf(tool)} ends differently at ${differences.length} of ${restarts} restarts.`,
      ...differences.slice(0, MAX_SHOWN),
      ...(more > 0 ? [`… and ${more} more.`] : []),
    ].join("\n"),
  );
}

/** The process ends before or after the n-th yield was performed. */
interface CrashPoint {
  readonly yields: number;
  readonly when: "before" | "after";
  readonly description: string;
}

type PlayedRun<Result> = Pick<RestartReport<Result>, "outcome" | "steps">;

/** Runs to the end, and records the replies and the points where it can be interrupted. */
async function runLive<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: ScriptedAnswers,
  replies: Map<string, Reply>,
): Promise<PlayedRun<Result> & { readonly points: readonly CrashPoint[] }> {
  const observer = new RunObserver();
  const responder = new ScriptedResponder(answers);
  const ask = async (question: OpenQuestion): Promise<Reply> => {
    const reply = await responder.replyInstantly(question);
    replies.set(attemptId(question), reply);
    return reply;
  };
  const outcome = await outcomeOf(
    run(observer.observe(tool), input, { ...deterministic(), clock: testClock(), ask }),
  );
  return { outcome, steps: observer.steps, points: observer.points };
}

/** Runs up to a point, then again from the journal to the end. */
async function runInterrupted<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  replies: ReadonlyMap<string, Reply>,
  point: CrashPoint,
): Promise<PlayedRun<Result>> {
  const observer = new RunObserver();
  const ask = (question: OpenQuestion): Reply => {
    const reply = replies.get(attemptId(question));
    if (reply !== undefined) return reply;
    throw new Error(
      `It asked ${JSON.stringify(messageOf(question))} (${question.key}), which it did not ask without a restart.`,
    );
  };
  const host: Host = { ...deterministic(), clock: testClock(), ask };
  const journal = memoryJournal();
  const crash = observer.crashAt(point);
  waitForNextMillisecond();
  // Never settles after the crash.
  const interrupted = outcomeOf(run(observer.observe(tool), input, { ...host, journal }));
  const early = await Promise.race([crash, interrupted]);
  if (early !== undefined) return { outcome: early, steps: observer.steps };
  // As a store would return it.
  const stored = JSON.parse(JSON.stringify(journal.entries)) as readonly JournalEntry[];
  waitForNextMillisecond();
  const outcome = await outcomeOf(
    run(observer.observe(tool), input, { ...host, journal: memoryJournal(stored) }),
  );
  return { outcome, steps: observer.steps };
}

/** Waits until the real clock has another time, so that the outcome of a tool that reads it differs. */
function waitForNextMillisecond(): void {
  const before = Date.now();
  // Bounded: a test may have replaced the real clock.
  for (let reads = 0; reads < 1_000_000 && Date.now() === before; reads++);
}

async function outcomeOf<Result>(running: Promise<Result>): Promise<RunOutcome<Result>> {
  try {
    return { returned: await running };
  } catch (error) {
    if (isTestError(error)) throw error;
    return describeThrown(error);
  }
}

const attemptId = ({ key, attempt }: OpenQuestion): string => `${key}@${attempt}`;

function formatRun({ outcome, steps }: PlayedRun<unknown>): string {
  const counts = Object.entries(steps).map(([name, count]) => `${name} ×${count}`);
  const end =
    "threw" in outcome
      ? `threw ${outcome.threw}: ${outcome.message}`
      : `returned ${canonicalJson(outcome.returned)}`;
  return `${end}; steps: ${counts.length === 0 ? "none" : counts.join(", ")}`;
}

/** Observes a running tool: counts its steps, records its yields, and simulates a crash. */
class RunObserver {
  readonly steps: Record<string, number> = {};
  readonly points: CrashPoint[] = [];
  #crash: { readonly point: CrashPoint; readonly happened: () => void } | undefined;

  /** Resolves when the point is reached. After it, that run does nothing more. */
  crashAt(point: CrashPoint): Promise<void> {
    return new Promise((resolve) => {
      this.#crash = { point, happened: resolve };
    });
  }

  observe<Result>(tool: Tool<never, Result>): Tool<never, Result> {
    return { ...tool, run: (input, context) => this.#observed(tool.run(input, context)) };
  }

  async *#observed<Result>(body: Body<Result>): Body<Result> {
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
      // Runs the `finally` blocks of a body that is closed; without effect on one that has ended.
      await body.return(undefined as never);
    }
  }

  async #reached(yields: number, when: CrashPoint["when"], yielded: unknown): Promise<void> {
    this.points.push({ yields, when, description: `${when} yield ${yields} (${describeValue(yielded)})` });
    const { point, happened } = this.#crash ?? {};
    if (point?.yields !== yields || point.when !== when) return;
    this.#crash = undefined;
    happened?.();
    await new Promise(() => {});
  }

  #counted<Yielded>(yielded: Yielded): Yielded | Step {
    if (!isPlainObject(yielded) || yielded["emit"] !== "step" || typeof yielded["run"] !== "function")
      return yielded;
    // Built or raw, a step has a name and a function.
    const { name, run: act, onUnknown } = yielded as unknown as Extract<Step, { step: "call" }>;
    markUsed(yielded);
    const counting = (context: StepContext): unknown => {
      this.steps[name] = (this.steps[name] ?? 0) + 1;
      return act(context);
    };
    return step(name, counting, onUnknown === undefined ? {} : { onUnknown });
  }
}
