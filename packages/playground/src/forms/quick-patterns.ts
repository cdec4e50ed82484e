/**
 * A schema without the patterns that a browser might try for ever. Pure.
 *
 * A pattern that repeats a group can take longer than anybody waits, and so can several repetitions over a long text. The
 * server checks them, as it checks everything; the page does without.
 */
import type { JsonSchema } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";

/** How many steps a pattern may take, at the worst. */
const MOST_STEPS = 10_000_000;
/** How long the name of a property is taken to be. */
const NAME = 100;

/** `longest`: how long a text may be that is checked. Without it, patterns go only that are slow for every text. */
export function withQuickPatterns(schema: JsonSchema, longest = 1): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]): readonly [string, unknown][] => {
      if (name === "pattern" && typeof value === "string")
        return isQuick(value, longest) ? [[name, value]] : [];
      if (name === "patternProperties" && isRecord(value)) {
        const quick = Object.entries(value).filter(([pattern]) => isQuick(pattern, Math.max(longest, NAME)));
        return [[name, withQuickPatterns(Object.fromEntries(quick), longest)]];
      }
      return [[name, inside(value, longest)]];
    }),
  );
}

function inside(value: unknown, longest: number): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => inside(one, longest));
  return isRecord(value) ? withQuickPatterns(value, longest) : value;
}

/** Whether a pattern takes no time to speak of on a text of this length. */
export function isQuick(pattern: string, longest: number): boolean {
  const bare = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gsu, "x");
  const repetitions = bare.match(/[*+]|\{\d*,?\d*\}/gu)?.length ?? 0;
  return !/\)[*+{]|\\/u.test(bare) && longest ** repetitions <= MOST_STEPS;
}
