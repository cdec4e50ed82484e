import { ImpossibleAsk } from "../errors.ts";
import { isPlainObject } from "../util/json.ts";
import { show } from "../util/describe-value.ts";
import type { Choice } from "../ask-types.ts";

interface ChoiceLike {
  readonly value: string;
  readonly title?: string;
  readonly label?: string;
  readonly description?: string;
}

/** What to choose from: values, values with titles, or a record from value to title. */
export type ChoicesLike =
  | readonly (string | ChoiceLike)[]
  | { readonly [value: string]: string | { readonly title: string; readonly description?: string } };

/** The values there are to choose from. */
export type ValueIn<Choices extends ChoicesLike> = Choices extends readonly (infer One)[]
  ? One extends { readonly value: infer Value extends string }
    ? Value
    : One & string
  : keyof Choices & string;

/** Reads what an author gave to choose from, in the order given. */
export function readChoices(given: unknown, question: string): readonly Choice[] {
  const choices = Array.isArray(given)
    ? given.map((one: unknown) => readChoice(one, question))
    : isPlainObject(given)
      ? Object.entries(given).map(([value, title]) => readTitled(value, title, question))
      : refuse(given, question);
  const values = new Set(choices.map(({ value }) => value));
  if (choices.length === 0) throw new ImpossibleAsk(question, "it has no options");
  if (values.size < choices.length)
    throw new ImpossibleAsk(question, "two of its options have the same value");
  return Object.freeze(choices);
}

function readChoice(given: unknown, question: string): Choice {
  if (typeof given === "string") return Object.freeze({ value: given, title: given });
  if (!isPlainObject(given) || typeof given["value"] !== "string") return refuse(given, question);
  const title = given["title"] ?? given["label"] ?? given["value"];
  return readTitled(given["value"], { ...given, title }, question);
}

function readTitled(value: string, given: unknown, question: string): Choice {
  if (typeof given === "string") return Object.freeze({ value, title: given });
  if (!isPlainObject(given) || typeof given["title"] !== "string") return refuse(given, question);
  const { title, description } = given;
  return Object.freeze({ value, title, ...(typeof description === "string" ? { description } : {}) });
}

function refuse(given: unknown, question: string): never {
  throw new ImpossibleAsk(
    question,
    `its options are strings, { value, title } or a record from value to title, not ${show(given)}`,
  );
}
