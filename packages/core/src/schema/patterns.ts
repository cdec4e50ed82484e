/**
 * Regular expressions of authors', on texts of anybody's.
 *
 * Some take longer than anybody waits, on a text that was made for it. Such a match is given up, and counts as none.
 */
import { matcherInTime, type MatchInTime } from "../platform.ts";

/** How long a text may take to be matched, in milliseconds. */
const PATIENCE = 100;
/** What takes no time to speak of: a short text, and a pattern without groups that repeats one thing at most. */
const SHORT = 1000;
const SIMPLE = /^[^(*+{]*[*+{]?[^(*+{]*$/;

let matchInTime: MatchInTime | undefined;

/** What ajv makes its patterns with. */
export const patternEngine: {
  (pattern: string, flags: string): { test(text: string): boolean; toString(): string };
  readonly code: string;
} = Object.assign(
  (source: string, flags: string) => {
    const pattern = new RegExp(source, flags);
    const isSimple = SIMPLE.test(source);
    return {
      test(text: string): boolean {
        if (isSimple && text.length <= SHORT) return pattern.test(text);
        matchInTime ??= matcherInTime();
        return matchInTime === undefined ? pattern.test(text) : matchInTime(pattern, text, PATIENCE) === true;
      },
      toString: () => String(pattern),
    };
  },
  // Only for code that ajv writes to a file, which it does not do here.
  { code: "patternEngine" },
);
