/**
 * `AskKindDescriptor`, which describes an ask kind, and `makeAsk`, which creates an ask from constructor arguments or raw data.
 *
 *   1. Each kind is one file in `kinds/`: the type of its asks, and a descriptor, which `kinds.ts` lists.
 *   2. An ask that has no possible answer is refused when it is made. A constructor cannot wait for ajv to load, so these checks
 *      do without it; answers are checked more strictly later.
 */
import { InvalidAsk } from "../errors.ts";
import type { JsonSchema } from "../schema/schema.ts";
import type { Verdict } from "../schema/validator.ts";
import { describeValue } from "../util/describe-value.ts";
import { frozenCopy, isPlainObject } from "../util/json.ts";
import { durationProblem, type Timeout } from "../util/time.ts";
import { schemaViolation } from "./flat-schema.ts";
import { type Yieldable, yieldable } from "./yieldable.ts";

/** The values that replace an answer, by how the question ended. Without one, the error is thrown. */
export interface Fallback<Answer> {
  readonly decline?: Answer;
  readonly cancel?: Answer;
  readonly timeout?: Answer;
  readonly unsupported?: Answer;
}

/** The options of every ask. */
export interface AskOptions<Answer, Otherwise = Answer> {
  /** Its key in answers, journals and scripts; `ask-1`, `ask-2`, … without one. */
  readonly id?: string;
  /** The name of the field it is asked in; the message without one. */
  readonly label?: string;
  readonly description?: string;
  /** A suggestion, shown to the person. Never an answer by itself. */
  readonly default?: Answer;
  /** How long it stays open. The default is 5 minutes, 7 days for durable tools, or what the host sets. */
  readonly timeout?: Timeout;
  /** How often it is asked again when the answer does not fit. The default is 0. */
  readonly retries?: number;
  readonly fallback?: Fallback<Otherwise>;
}

/** The properties of every ask. */
export interface AskBase<Kind extends string, Answer, Otherwise = Answer> extends AskOptions<
  Answer,
  Otherwise
> {
  readonly emit: "ask";
  readonly ask: Kind;
  readonly message: string;
}

type AnyAsk = AskBase<string, unknown>;

/** The options of a constructor: those of its kind, except those that are separate parameters. */
export type Options<A> = Omit<A, "emit" | "ask" | "message" | "options" | "schema" | "url">;

/** The options of a kind, beyond those that every ask has. */
type OwnOption<A> = Exclude<keyof A, keyof Omit<AskBase<string, unknown>, "default">>;

export interface AskKindDescriptor<A extends AnyAsk, Answer = unknown> {
  /** Never set. Types that are derived from the list of kinds read it. */
  readonly types?: { readonly ask: A; readonly answer: Answer };
  readonly kind: A["ask"];
  readonly options: { readonly [Option in OwnOption<A>]: true };
  /** Replaces options that an author may write in several forms, or leave out. Throws `InvalidAsk`. */
  parseOptions?(options: Readonly<Record<string, unknown>>, message: string): object;
  /** The problem of the options, as a phrase. The default value is checked against `answerSchema`. */
  checkOptions?(ask: A): string | undefined;
  /** JSON Schema of the plain answer. Equal asks give equal schemas. */
  answerSchema(ask: A): JsonSchema;
  /** Parses an answer that came as text. Text that is not of the kind is returned as it is, for the check to refuse. */
  parseAnswer?(ask: A, given: unknown): unknown;
  /** Checks an answer, and returns the value that the body gets. The default checks it against `answerSchema`. */
  checkAnswer?(ask: A, value: unknown): Verdict<Answer> | Promise<Verdict<Answer>>;
  /** Sets the last answer as the ask's `default`. Without this, every last answer of the right type is set. */
  prefill?(ask: A, last: unknown): A;
  /** Phrases that say which answers fit, for a terminal and a model: "a whole number", "1 to 30". Empty if any text fits. */
  expectedAnswer?(ask: A): readonly (string | undefined)[];
  /** Keywords of its schemas that do not change which answers fit, beside those of JSON Schema. Replay ignores them. */
  readonly annotations?: readonly string[];
}

/** A kind that can also be a field of a form. */
export interface FieldKindDescriptor<A extends AnyAsk, Answer = unknown> extends AskKindDescriptor<
  A,
  Answer
> {
  readonly isField: true;
  /** JSON Schema of a field, with the annotations that clients show. The default is `answerSchema`. */
  fieldSchema?(ask: A): JsonSchema;
  /** The inverse of `fieldSchema`: the options of the ask; undefined if the field is of another kind. */
  optionsFromField(schema: JsonSchema): object | undefined;
  /** Keywords of a field that the forms of MCP do not have, each with a check of its value. Servers send them beside the form. */
  readonly extraKeywords?: { readonly [keyword: string]: (value: unknown) => boolean };
}

/** The options of every ask. */
const COMMON: { readonly [Option in Exclude<keyof AskOptions<unknown>, "default">]: true } = {
  id: true,
  label: true,
  description: true,
  timeout: true,
  retries: true,
  fallback: true,
};

/** Options that may be objects, which the author could change after the call. */
const COPIED = new Set(["default", "fallback", "accept"]);

const OUTCOMES = new Set(["decline", "cancel", "timeout", "unsupported"]);

export function makeAsk<A extends AnyAsk, Answer>(
  kind: AskKindDescriptor<A, Answer>,
  message: string,
  given: object,
): Yieldable<A, Answer> {
  const fields: Record<string, unknown> = { emit: "ask", ask: kind.kind, message };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(kind.options, name) && !Object.hasOwn(COMMON, name)) {
      const names = Object.keys({ ...kind.options, ...COMMON }).join(", ");
      throw new InvalidAsk(message, `ask.${kind.kind} has no ${JSON.stringify(name)}; it has ${names}`);
    }
    fields[name] = COPIED.has(name) ? frozenCopy(value) : value;
  }
  if (kind.parseOptions !== undefined) Object.assign(fields, kind.parseOptions(fields, message));
  // Every field is known by name, and their values are checked next.
  const built = fields as unknown as A;
  const problem = commonProblem(built) ?? kind.checkOptions?.(built) ?? defaultProblem(kind, built);
  if (problem !== undefined) throw new InvalidAsk(message, problem);
  return yieldable(built);
}

function commonProblem(ask: AnyAsk): string | undefined {
  if (typeof ask.message !== "string" || ask.message.trim() === "") return "it has no message";
  for (const name of ["label", "description", "patternMessage"]) {
    const value: unknown = Reflect.get(ask, name);
    if (value !== undefined && typeof value !== "string")
      return `its ${name} is ${describeValue(value)}; give a text`;
  }
  return optionsProblem(ask);
}

function defaultProblem<A extends AnyAsk>(kind: AskKindDescriptor<A>, ask: A): string | undefined {
  const suggestion = ask.default;
  if (suggestion === undefined) return undefined;
  const problem = schemaViolation(kind.answerSchema(ask), suggestion);
  return problem === undefined ? undefined : `its default ${describeValue(suggestion)} ${problem}`;
}

/** The problem of an id. */
export function idProblem(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "")
    return `its id is ${describeValue(id)}; an id is a text that is not empty`;
  if (id.includes("#")) return `its id ${JSON.stringify(id)} contains "#", which Photon uses itself`;
  return id === "__proto__" ? `its id is ${JSON.stringify(id)}, which cannot be a key` : undefined;
}

/** The problem of the options that asks, samples and roots share. */
export function optionsProblem(given: {
  readonly id?: unknown;
  readonly timeout?: unknown;
  readonly retries?: unknown;
  readonly fallback?: unknown;
}): string | undefined {
  const { id, timeout, retries, fallback } = given;
  const problem = id === undefined ? undefined : idProblem(id);
  if (problem !== undefined) return problem;
  const badTimeout = timeout === undefined || timeout === "none" ? undefined : durationProblem(timeout);
  if (badTimeout !== undefined) return `its timeout ${badTimeout}`;
  if (retries !== undefined && !(typeof retries === "number" && Number.isInteger(retries) && retries >= 0))
    return `its retries are ${describeValue(retries)}; give a whole number`;
  if (fallback === undefined) return undefined;
  if (!isPlainObject(fallback))
    return `its fallback is ${describeValue(fallback)}; give { decline?, cancel?, timeout?, unsupported? }`;
  const unknown = Object.keys(fallback).find((outcome) => !OUTCOMES.has(outcome));
  return unknown === undefined
    ? undefined
    : `its fallback names ${JSON.stringify(unknown)}; it may name ${[...OUTCOMES].join(", ")}`;
}

// Checks and descriptions of options that several kinds share.

/** A flag that is neither true nor false would count as false, which is wrong for `dangerous`. */
export function flagProblem(name: string, flag: unknown): string | undefined {
  return flag === undefined || typeof flag === "boolean"
    ? undefined
    : `its ${name} is ${describeValue(flag)}; give true or false`;
}

/** The problem of the bounds of a length or a count. */
export function countsProblem(what: string, min?: number, max?: number): string | undefined {
  const bad = [min, max].find((bound) => bound !== undefined && !(Number.isInteger(bound) && bound >= 0));
  return bad === undefined
    ? reversedProblem(min, max)
    : `${describeValue(bad)} is not a ${what}; give a whole number from 0`;
}

export function reversedProblem(min?: number, max?: number): string | undefined {
  return min !== undefined && max !== undefined && min > max
    ? `its min (${min}) is above its max (${max})`
    : undefined;
}

/** "1 to 30", "at least 1 character", "2 of them"; undefined without bounds. */
export function describeRange(
  min: number | undefined,
  max: number | undefined,
  noun = "",
  nouns: string = noun && `${noun}s`,
): string | undefined {
  if (min === undefined && max === undefined) return undefined;
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
