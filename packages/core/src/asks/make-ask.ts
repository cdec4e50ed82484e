/**
 * Makes an ask of any kind, from a constructor or from raw data, and refuses one that has no possible answer.
 *
 * A constructor cannot wait for ajv to load: these checks do without it, and answers are checked more strictly later.
 */
import type { Ask, AskOptions } from "../ask-types.ts";
import { InvalidAsk } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";
import { frozenCopy, isPlainObject } from "../util/json.ts";
import { durationProblem } from "../util/time.ts";
import type { AskKindDescriptor } from "./ask-kind.ts";
import { schemaViolation } from "./flat-schema.ts";
import { type Yieldable, yieldable } from "./yieldable.ts";

/** The options of every ask. */
const COMMON: { readonly [Option in Exclude<keyof AskOptions<unknown>, "default">]: true } = {
  id: true,
  label: true,
  description: true,
  timeout: true,
  retries: true,
  fallback: true,
};

/** Options that the author could change after the call. */
const COPIED = new Set(["default", "fallback", "accept"]);

const OUTCOMES = new Set(["decline", "cancel", "timeout", "unsupported"]);

export function makeAsk<A extends Ask, Answer>(
  kind: AskKindDescriptor<A>,
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

function commonProblem(ask: Ask): string | undefined {
  if (typeof ask.message !== "string" || ask.message.trim() === "") return "it has no message";
  for (const name of ["label", "description", "patternMessage"] as const) {
    const words: unknown = Reflect.get(ask, name);
    if (words !== undefined && typeof words !== "string")
      return `its ${name} is ${describeValue(words)}; it is a text`;
  }
  return optionsProblem(ask);
}

function defaultProblem<A extends Ask>(kind: AskKindDescriptor<A>, ask: A): string | undefined {
  const suggestion: unknown = "default" in ask ? ask.default : undefined;
  if (suggestion === undefined) return undefined;
  const problem = schemaViolation(kind.answerSchema(ask), suggestion);
  return problem === undefined ? undefined : `its default ${describeValue(suggestion)} ${problem}`;
}

/** What is wrong with an id. */
export function idProblem(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "")
    return `its id is ${describeValue(id)}; an id is a text that is not empty`;
  if (id.includes("#")) return `its id ${JSON.stringify(id)} contains "#", which Photon uses itself`;
  return id === "__proto__" ? `its id is ${JSON.stringify(id)}, which no record can hold` : undefined;
}

/** What is wrong with the options that asks, samples and roots share. */
export function optionsProblem(given: {
  readonly id?: unknown;
  readonly timeout?: unknown;
  readonly retries?: unknown;
  readonly fallback?: unknown;
}): string | undefined {
  const { id, timeout, retries, fallback } = given;
  if (id !== undefined) {
    const problem = idProblem(id);
    if (problem !== undefined) return problem;
  }
  if (timeout !== undefined && timeout !== "none") {
    const problem = durationProblem(timeout);
    if (problem !== undefined) return `its timeout ${problem}`;
  }
  if (retries !== undefined && !(typeof retries === "number" && Number.isInteger(retries) && retries >= 0)) {
    return `its retries are ${describeValue(retries)}; give a whole number`;
  }
  if (fallback === undefined) return undefined;
  if (!isPlainObject(fallback))
    return `its fallback is ${describeValue(fallback)}; give { decline?, cancel?, timeout?, unsupported? }`;
  const unknown = Object.keys(fallback).find((outcome) => !OUTCOMES.has(outcome));
  return unknown === undefined
    ? undefined
    : `its fallback names ${JSON.stringify(unknown)}; it may name ${[...OUTCOMES].join(", ")}`;
}
