/** The text in a field as a value of an answer, or the problem with it. Pure. */
import { isQuick } from "../../forms/quick-patterns.ts";
import type { Draft } from "./draft.ts";
import type { FieldOf } from "./field-kinds.ts";
import { localTime, momentOf } from "./local-time.ts";

/** Undefined for a field that was left empty. */
export type Read = { readonly value: unknown } | { readonly problem: string } | undefined;

export function readChoice({ choices }: FieldOf<"choice">, text: string): Read {
  return choices.some(({ value }) => value === text) ? { value: text } : { problem: "Choose one." };
}

/** Nothing ticked is an answer where nothing has to be ticked; where something has to, it is a field left empty. */
export function readChoices({ min = 0, max, required, choices }: FieldOf<"choices">, draft: Draft): Read {
  const known = choices.map(({ value }) => value).filter((value) => draft.includes(value));
  if (known.length === 0 && !required) return undefined;
  if (known.length < min) return { problem: `Choose at least ${min}.` };
  if (max !== undefined && known.length > max) return { problem: `Choose at most ${max}.` };
  return { value: known };
}

export function readText(field: FieldOf<"text">, text: string): Read {
  const { format, minLength = 0, maxLength } = field;
  // Characters as JSON Schema counts them.
  const { length } = [...text];
  if (length < minLength) return { problem: `Must have at least ${minLength} characters; it has ${length}.` };
  if (maxLength !== undefined && length > maxLength)
    return { problem: `Must have at most ${maxLength} characters; it has ${length}.` };
  if (format === "email" && !/^[^\s@]+@[^\s@]+$/u.test(text)) return { problem: "Must be an email address." };
  if (format === "uri" && !URL.canParse(text))
    return { problem: "Must be a web address, with its https://." };
  return matches(text, field.pattern) ? { value: text } : { problem: unfit(field) };
}

function unfit({ patternMessage }: Pick<FieldOf<"text">, "patternMessage">): string {
  if (patternMessage === undefined) return "Does not have the expected form.";
  const sentence = patternMessage.charAt(0).toUpperCase() + patternMessage.slice(1);
  return /[.!?]$/u.test(sentence) ? sentence : `${sentence}.`;
}

function matches(text: string, pattern: string | undefined): boolean {
  if (pattern === undefined || !isQuick(pattern, text.length)) return true;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

type NumberBounds = Pick<FieldOf<"number">, "integer" | "min" | "max" | "above" | "below">;

export function readNumber({ integer, min, max, above, below }: NumberBounds, text: string): Read {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: "Must be a number." };
  if (integer && !Number.isInteger(value)) return { problem: "Must be a whole number." };
  if (min !== undefined && value < min) return { problem: `Must be at least ${min}.` };
  if (max !== undefined && value > max) return { problem: `Must be at most ${max}.` };
  if (above !== undefined && value <= above) return { problem: `Must be more than ${above}.` };
  if (below !== undefined && value >= below) return { problem: `Must be less than ${below}.` };
  return { value };
}

export function readDate(field: FieldOf<"date">, text: string): Read {
  const { time, min, max } = field;
  const value = time ? momentOf(text) : /^\d{4}-\d{2}-\d{2}$/u.test(text) ? text : undefined;
  if (value === undefined) return { problem: time ? "Must be a date with a time." : "Must be a date." };
  const shown = (bound: string): string => (time ? localTime(bound).replace("T", " ") : bound);
  // A bound that is no date bounds nothing: it compares as NaN.
  if (min !== undefined && Date.parse(value) < Date.parse(min))
    return { problem: `Must not be before ${shown(min)}.` };
  if (max !== undefined && Date.parse(value) > Date.parse(max))
    return { problem: `Must not be after ${shown(max)}.` };
  return matches(value, field.pattern) ? { value } : { problem: unfit(field) };
}

export function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: "Must be JSON." };
  }
}
