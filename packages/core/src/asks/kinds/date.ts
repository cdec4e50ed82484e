/** `ask.date`: a day, or a date and time. */
import type { Answers, DateAsk } from "../../ask-types.ts";
import { omitUndefined } from "../../util/json.ts";
import { mapMaybeAsync } from "../../util/platform.ts";
import { type AskKindDescriptor, checkAgainstSchema, flagProblem, type Options } from "../ask-kind.ts";
import { schemaViolation } from "../flat-schema.ts";
import { makeAsk } from "../make-ask.ts";
import type { Yieldable } from "../yieldable.ts";

const formatOf = ({ time }: DateAsk): string => (time === true ? "date-time" : "date");

export const dateKind: AskKindDescriptor<DateAsk> = {
  kind: "date",
  options: { default: true, time: true, min: true, max: true },
  checkOptions(ask) {
    const { time, min, max } = ask;
    const notBoolean = flagProblem("time", time);
    if (notBoolean !== undefined) return notBoolean;
    for (const bound of [min, max]) {
      const problem =
        bound === undefined ? undefined : schemaViolation({ type: "string", format: formatOf(ask) }, bound);
      if (problem !== undefined) return `its bound ${JSON.stringify(bound)} ${problem}`;
    }
    return min !== undefined && max !== undefined && Date.parse(min) > Date.parse(max)
      ? `its min (${min}) is after its max (${max})`
      : undefined;
  },
  answerSchema: (ask) =>
    omitUndefined({
      type: "string",
      format: formatOf(ask),
      formatMinimum: ask.min,
      formatMaximum: ask.max,
    }),
  parseAnswer(ask, given) {
    if (typeof given !== "string") return given;
    return ask.time === true ? given.trim() : dayFrom(given);
  },
  checkAnswer: (ask, value) =>
    mapMaybeAsync(checkAgainstSchema(dateKind.answerSchema(ask), value), (verdict) => {
      // The format allows a leap second, and an offset without minutes, which JavaScript cannot compare.
      const isUnreadable =
        "value" in verdict && typeof verdict.value === "string" && Number.isNaN(Date.parse(verdict.value));
      return isUnreadable ? { problem: "must be a date and time like 2026-07-28T12:00:00Z" } : verdict;
    }),
};

export function date(message: string, options: Options<DateAsk> = {}): Yieldable<DateAsk, Answers["date"]> {
  return makeAsk(dateKind, message, options);
}

/** A day as `2026-07-28`, also where a text has no hyphens. The check of the answer says whether there is such a day. */
export function dayFrom(text: string): string {
  return text.trim().replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
}
