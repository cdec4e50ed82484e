/** What kind of answer a question wants, in a few words. Pure. */
import type { Ask } from "@photon/core";
import { sizeOf } from "./media.ts";

/** "a whole number from 1 to 30"; nothing where the prompt says it all. */
export function wantedFor(ask: Ask, isOptional: boolean): string {
  const words = isOptional ? [...wordsFor(ask), "may be left empty"] : wordsFor(ask);
  return words.filter((part) => part !== "").join(", ");
}

const FORMATS = {
  email: "an email address",
  uri: "a web address",
  date: "a date like 2026-07-28",
  "date-time": "a date and time like 2026-07-28T12:00:00Z",
} as const;

function wordsFor(ask: Ask): readonly string[] {
  switch (ask.ask) {
    case "text": {
      const format = ask.format === undefined ? "" : FORMATS[ask.format];
      return [format, range(ask.minLength, ask.maxLength, "character"), ask.patternMessage ?? ""];
    }
    case "secret":
      return [range(ask.minLength, ask.maxLength, "character"), "it is not shown"];
    case "number":
      return [ask.integer === true ? "a whole number" : "a number", range(ask.min, ask.max)];
    case "rating":
      return [range(1, ask.max, "star")];
    case "multiselect":
      return [range(ask.min, ask.max, "of them", "of them")];
    case "date":
      return [
        ask.time === true ? FORMATS["date-time"] : "",
        ask.time === true ? "without a zone it is meant here" : "",
        ask.min === undefined ? "" : `${ask.min} or later`,
        ask.max === undefined ? "" : `${ask.max} or earlier`,
      ];
    case "file":
      return [
        ask.accept?.join(" or ") ?? "",
        ask.maxBytes === undefined ? "" : `at most ${sizeOf(ask.maxBytes)}`,
      ];
    case "confirm":
      return ["yes or no"];
    case "select":
    case "form":
    case "url":
      return [];
    default:
      return ask satisfies never;
  }
}

function range(
  min: number | undefined,
  max: number | undefined,
  noun = "",
  nouns = noun && `${noun}s`,
): string {
  if (min === undefined && max === undefined) return "";
  const amount =
    min === undefined
      ? `at most ${max}`
      : max === undefined
        ? `at least ${min}`
        : min === max
          ? `${min}`
          : `${min} to ${max}`;
  return `${amount} ${(max ?? min) === 1 ? noun : nouns}`.trim();
}
