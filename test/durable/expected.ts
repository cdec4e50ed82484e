/**
 * What a wizard may have come to that was killed at a point: its result, and which of its steps were done, each once.
 *
 * A step that had begun and was not recorded is unknown: `hold` and `book` look it up, and are as good as done; `pay` and
 * `send` are reported. Where the process died while a write was under way (as something was sent, meanwhile), either is right.
 */
import { result, steps, type StepName } from "./wizard-answers.ts";

export interface Course {
  readonly result: unknown;
  readonly steps: readonly string[];
}

/** `points` are all there are, in their order; `passed` those that the process passed before it died at the last. */
export function expectedAt(points: readonly string[], passed: readonly string[]): readonly Course[] {
  const course = points.filter(isOfRun);
  const at = course.indexOf(passed.findLast(isOfRun) ?? "");
  const isMeanwhile = !isOfRun(passed.at(-1) ?? "");
  const step = steps.find((one) => {
    const { from, to } = windowOf(one, course);
    return isMeanwhile ? from - 1 <= at && at <= to : from <= at && at <= to;
  });
  if (step === undefined) return [whole];
  const reported = withUnknown(step, passed.includes(`after doing ${step}`));
  const { from, to } = windowOf(step, course);
  return isMeanwhile && (at === from - 1 || at === to) ? [whole, reported] : [reported];
}

/** What is sent, and when that has gone out, is no part of the course of a run. */
const isOfRun = (point: string): boolean => !point.includes("send ");

/** From when it is in the store that the step has begun, until what came of it is about to be. */
function windowOf(step: StepName, course: readonly string[]): { readonly from: number; readonly to: number } {
  const begins = course.indexOf(`before doing ${step}`);
  const ends = course.indexOf(`after doing ${step}`);
  return {
    from: course.findLastIndex((point, index) => index < begins && point.startsWith("after append")),
    to: course.findIndex((point, index) => index > ends && point.startsWith("before append")),
  };
}

const whole: Course = { result, steps };

function withUnknown(step: StepName, wasDone: boolean): Course {
  const isLookedUp = step === "hold" || step === "book";
  const done = steps.filter((other) => other !== step || wasDone || isLookedUp);
  if (isLookedUp) return whole;
  if (step === "pay") return { result: { ...result, paid: "unknown" }, steps: done };
  return { result: UNSENT, steps: done.filter((other) => other !== "book") };
}

/** What the tool that failed with its step says; without the key of the step, which no other run has. */
const UNSENT = 'The step "send" began, and its outcome was not recorded (key …); give it { onUnknown }.';

/** What a call gave, for comparing. */
export function resultOf(given: {
  readonly structuredContent?: unknown;
  readonly content?: unknown;
}): unknown {
  const [first] = (given.content ?? []) as readonly { readonly text?: string }[];
  return given.structuredContent ?? first?.text?.replace(/\(key [^)]*\)/, "(key …)");
}
