/**
 * What an ask kind is: its options, what an author may not write in them, the schema of an answer, its check, and its prefill.
 *
 * Each kind is one descriptor in `kinds/`; `askKinds` in builders.ts lists them. Below are the checks that several kinds share.
 */
import type { Ask, AskOptions } from "../ask-types.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { findProblem, type Verdict } from "../schema/validator.ts";
import { describeValue } from "../util/describe-value.ts";
import { omitUndefined } from "../util/json.ts";
import { mapMaybeAsync } from "../util/platform.ts";

/** The options of a kind, beyond those that every ask has. */
type OwnOption<A> = Exclude<
  keyof A,
  "emit" | "ask" | "message" | Exclude<keyof AskOptions<unknown>, "default">
>;

/** What a constructor takes: the options of a kind, but for those that are parameters of their own. */
export type Options<A> = Omit<A, "emit" | "ask" | "message" | "options" | "schema" | "url">;

export interface AskKindDescriptor<A extends Ask> {
  readonly kind: A["ask"];
  readonly options: { readonly [Option in OwnOption<A>]: true };
  /** Replaces options that an author may write in several forms, or leave out. Throws `InvalidAsk`. */
  parseOptions?(options: Readonly<Record<string, unknown>>, message: string): object;
  /** What is wrong with the options, as a phrase. The default value is checked against `answerSchema`. */
  checkOptions?(ask: A): string | undefined;
  /** JSON Schema of the plain answer. Equal asks give equal schemas. */
  answerSchema(ask: A): JsonSchema;
  /** The same for a field of a form, with what clients show of it; `answerSchema` without one. */
  fieldSchema?(ask: A): JsonSchema;
  /** Reads an answer that came as text. What is not of the kind is returned as it is, for the check to refuse. */
  parseAnswer?(ask: A, given: unknown): unknown;
  /** Checks an answer, and returns the value that the body gets; checks it against `answerSchema` without one. */
  checkAnswer?(ask: A, value: unknown): Verdict | Promise<Verdict>;
  /** The ask with the last answer as its default; without one, a last answer of the right type. */
  prefill?(ask: A, last: unknown): A;
}

type BareType = "string" | "number" | "integer" | "boolean";

const BARE: { readonly [Type in BareType]: JsonSchema } = {
  string: Object.freeze({ type: "string" }),
  number: Object.freeze({ type: "number" }),
  integer: Object.freeze({ type: "integer" }),
  boolean: Object.freeze({ type: "boolean" }),
};

/** A schema of a type and its bounds. Without bounds it is always the same object, so that its validator is found by identity. */
export function ofType(type: BareType, bounds: JsonSchema = {}): JsonSchema {
  for (const name in bounds) if (bounds[name] !== undefined) return omitUndefined({ type, ...bounds });
  return BARE[type];
}

export function checkAgainstSchema(schema: JsonSchema, value: unknown): Verdict | Promise<Verdict> {
  if (value === undefined) return { problem: "needs a value" };
  return mapMaybeAsync(findProblem(schema, value), (problem) =>
    problem === undefined ? { value } : { problem },
  );
}

/** A flag that is neither true nor false would count as false, which is wrong for `dangerous`. */
export function flagProblem(name: string, flag: unknown): string | undefined {
  return flag === undefined || typeof flag === "boolean"
    ? undefined
    : `its ${name} is ${describeValue(flag)}; it is true or false`;
}

/** Bounds of a length or a count. */
export function countsProblem(what: string, min?: number, max?: number): string | undefined {
  for (const bound of [min, max]) {
    if (bound !== undefined && !(Number.isInteger(bound) && bound >= 0))
      return `${describeValue(bound)} is no ${what}; give a whole number from 0`;
  }
  return reversedProblem(min, max);
}

export function reversedProblem(min?: number, max?: number): string | undefined {
  return min !== undefined && max !== undefined && min > max
    ? `its min (${min}) is above its max (${max})`
    : undefined;
}
