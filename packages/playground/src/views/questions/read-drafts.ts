/**
 * What somebody has typed, as the content of an answer, or what is wrong with it. Pure.
 *
 *   1. An optional field that was left empty is left out. A box whose content the browser cannot read is not empty, though it
 *      has no value: 30 February, half a date, a number with a letter.
 *   2. What goes out fits the schema that came in, and the bounds and patterns beside it; the server checks it again, and
 *      may know better. A pattern that a browser might try for ever is left to the server.
 */
import type { Draft, Drafts } from "./draft.ts";
import type { Field, FieldOf } from "./field.ts";
import { isQuick } from "../../forms/quick-patterns.ts";
import { localTime, momentOf } from "./local-time.ts";

export interface ReadDrafts {
  readonly content: { readonly [field: string]: unknown };
  readonly problems: { readonly [field: string]: string };
}

type Read = { readonly value: unknown } | { readonly problem: string } | undefined;

/** `unread` names the fields whose boxes hold something that the browser cannot read. */
export function readDrafts(
  fields: readonly Field[],
  drafts: Drafts,
  unread: ReadonlySet<string> = new Set(),
): ReadDrafts {
  const read = fields.map((field): readonly [string, Read] => [
    field.name,
    unread.has(field.name) ? { problem: unreadable(field) } : readDraft(field, draftOf(field, drafts)),
  ]);
  return {
    content: Object.fromEntries(
      read.flatMap(([name, one]) => (one !== undefined && "value" in one ? [[name, one.value]] : [])),
    ),
    problems: Object.fromEntries(
      read.flatMap(([name, one]) => (one !== undefined && "problem" in one ? [[name, one.problem]] : [])),
    ),
  };
}

export const draftOf = (field: Field, drafts: Drafts): Draft =>
  Object.hasOwn(drafts, field.name) ? (drafts[field.name] ?? "") : field.suggestion;

function readDraft(field: Field, draft: Draft): Read {
  if (field.kind === "choices") return readChoices(field, draft);
  const text = typeof draft === "string" ? draft : "";
  if (text.trim() === "") {
    if (!field.required) return undefined;
    const isChosen = field.kind === "choice" || field.kind === "rating" || field.kind === "yes-no";
    return { problem: isChosen ? "Choose one." : "Fill this in." };
  }
  switch (field.kind) {
    case "text":
      return readText(field, text);
    case "number":
      return readNumber(field, text);
    case "rating":
      return readNumber({ integer: true, min: 1, max: field.max }, text);
    case "yes-no":
      return { value: text === "yes" };
    case "choice":
      return field.choices.some(({ value }) => value === text) ? { value: text } : { problem: "Choose one." };
    case "date":
      return readDate(field, text);
    case "json":
      return readJson(text);
    default:
      return field satisfies never;
  }
}

function unreadable(field: Field): string {
  if (field.kind !== "date") return "Must be a number.";
  return `Must be a date that exists, with its day, month and year${field.time ? ", and a time" : ""}.`;
}

/** Nothing ticked is an answer where nothing has to be ticked; where something has to, it is a field left empty. */
function readChoices({ min = 0, max, required, choices }: FieldOf<"choices">, draft: Draft): Read {
  const known = choices.map(({ value }) => value).filter((value) => draft.includes(value));
  if (known.length === 0 && !required) return undefined;
  if (known.length < min) return { problem: `Choose at least ${min}.` };
  if (max !== undefined && known.length > max) return { problem: `Choose at most ${max}.` };
  return { value: known };
}

function readText(field: FieldOf<"text">, text: string): Read {
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

function readNumber({ integer, min, max, above, below }: NumberBounds, text: string): Read {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: "Must be a number." };
  if (integer && !Number.isInteger(value)) return { problem: "Must be a whole number." };
  if (min !== undefined && value < min) return { problem: `Must be at least ${min}.` };
  if (max !== undefined && value > max) return { problem: `Must be at most ${max}.` };
  if (above !== undefined && value <= above) return { problem: `Must be more than ${above}.` };
  if (below !== undefined && value >= below) return { problem: `Must be less than ${below}.` };
  return { value };
}

function readDate(field: FieldOf<"date">, text: string): Read {
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

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: "Must be JSON." };
  }
}
