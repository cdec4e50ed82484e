/** `ask.date`: a day, or a date and time. */
import { FORMATS } from "../../schema/error-messages.ts";
import { omitUndefined } from "../../util/json.ts";
import { mapMaybeAsync } from "../../util/platform.ts";
import { type AskBase, type FieldKindDescriptor, flagProblem } from "../ask-kind.ts";
import { checkAgainstSchema, schemaViolation } from "../flat-schema.ts";

/** A day (`2026-07-28`), or with `time` a date and time (`2026-07-28T12:00:00Z`). */
export interface DateAsk extends AskBase<"date", string> {
  readonly time?: boolean;
  readonly min?: string;
  readonly max?: string;
}

const formatOf = ({ time }: DateAsk): string => (time === true ? "date-time" : "date");

const beginsWithDate = (bound: unknown): boolean =>
  typeof bound === "string" && /^\d{4}-\d{2}-\d{2}/.test(bound);

export const date: FieldKindDescriptor<DateAsk, string> = {
  kind: "date",
  isField: true,
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
    omitUndefined({ type: "string", format: formatOf(ask), formatMinimum: ask.min, formatMaximum: ask.max }),
  optionsFromField: ({ format, formatMinimum: min, formatMaximum: max }) =>
    format === "date" || format === "date-time"
      ? omitUndefined({ time: format === "date-time", min, max })
      : undefined,
  extraKeywords: { formatMinimum: beginsWithDate, formatMaximum: beginsWithDate },
  parseAnswer(ask, given) {
    if (typeof given !== "string") return given;
    // A day may be written without hyphens. The check of the answer says whether there is such a day.
    const trimmed = given.trim();
    return ask.time === true ? trimmed : trimmed.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
  },
  checkAnswer: (ask, value) =>
    mapMaybeAsync(checkAgainstSchema<string>(date.answerSchema(ask), value), (verdict) => {
      // The format allows a leap second, and an offset without minutes, which JavaScript cannot compare.
      const isUnreadable = "value" in verdict && Number.isNaN(Date.parse(verdict.value));
      return isUnreadable ? { problem: `must be ${FORMATS["date-time"]}` } : verdict;
    }),
  expectedAnswer: (ask) => [
    FORMATS[formatOf(ask)],
    ask.min === undefined ? undefined : `${ask.min} or later`,
    ask.max === undefined ? undefined : `${ask.max} or earlier`,
  ],
};
