/**
 * Refuses questions that nobody could answer, where they are made.
 *
 * No ajv here: a constructor cannot wait for it to load. What is checked is what
 * makes a question impossible, not everything an answer is checked for later.
 */
import { timeoutMilliseconds } from "../duration.ts";
import { ImpossibleAsk } from "../errors.ts";
import { isPlainObject } from "../json.ts";
import { show } from "../show.ts";
import type { Ask, Choice, DateAsk, NumberAsk, TextAsk } from "./kinds.ts";
import { answerSchema } from "./answer-schema.ts";
import { misfit } from "./misfit.ts";

const OUTCOMES = new Set(["decline", "cancel", "timeout", "unsupported"]);

export function refuseImpossible(ask: Ask): void {
  const problem = commonProblem(ask) ?? kindProblem(ask) ?? defaultProblem(ask);
  if (problem !== undefined) throw new ImpossibleAsk(ask.message, problem);
}

/** What is wrong with an id, wherever one is given. */
export function idProblem(id: unknown): string | undefined {
  if (typeof id !== "string" || id === "") return `its id is ${show(id)}; an id is a text that is not empty`;
  if (id.includes("#")) return `its id ${show(id)} contains "#", which Photon uses itself`;
  return id === "__proto__" ? `its id is ${show(id)}, which no record can hold` : undefined;
}

/** What is wrong with what any question may say, of a person or of a client. */
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
  if (timeout !== undefined) {
    if (typeof timeout !== "string" && typeof timeout !== "number") return `its timeout is ${show(timeout)}`;
    // Throws its own sentence where it is no duration.
    timeoutMilliseconds(timeout as never, "A timeout");
  }
  if (retries !== undefined && !(typeof retries === "number" && Number.isInteger(retries) && retries >= 0)) {
    return `its retries are ${show(retries)}; give a whole number`;
  }
  if (fallback === undefined) return undefined;
  if (!isPlainObject(fallback))
    return `its fallback is ${show(fallback)}; give { decline?, cancel?, timeout?, unsupported? }`;
  const unknown = Object.keys(fallback).find((outcome) => !OUTCOMES.has(outcome));
  return unknown === undefined
    ? undefined
    : `its fallback names ${show(unknown)}; it may name ${[...OUTCOMES].join(", ")}`;
}

function commonProblem(ask: Ask): string | undefined {
  if (typeof ask.message !== "string" || ask.message.trim() === "") return "it has no message";
  for (const name of ["label", "description"] as const) {
    if (ask[name] !== undefined && typeof ask[name] !== "string") return `its ${name} is ${show(ask[name])}`;
  }
  return optionsProblem(ask);
}

function kindProblem(ask: Ask): string | undefined {
  switch (ask.ask) {
    case "text":
      return lengthProblem(ask) ?? patternProblem(ask);
    case "secret":
      return lengthProblem(ask);
    case "number":
      return numberProblem(ask);
    case "multiselect":
      return countProblem(ask.min, ask.max, ask.options);
    case "date":
      return rangeOfDates(ask);
    case "confirm": {
      const falls: readonly unknown[] = Object.values(ask.fallback ?? {});
      return falls.every((value) => value === false)
        ? undefined
        : "a confirm falls back to false only; yes is said by a person";
    }
    case "file":
      return fileProblem(ask.accept, ask.maxBytes);
    case "url":
      return /^https?:\/\/[^\s/]\S*$/i.test(ask.url)
        ? undefined
        : `${show(ask.url)} is no http or https address`;
    case "select":
    case "form":
      return undefined;
    default:
      return ask satisfies never;
  }
}

function lengthProblem({
  minLength,
  maxLength,
}: {
  readonly minLength?: number;
  readonly maxLength?: number;
}): string | undefined {
  for (const length of [minLength, maxLength]) {
    if (length !== undefined && !(Number.isInteger(length) && length >= 0))
      return `${show(length)} is no length`;
  }
  return reversed(minLength, maxLength);
}

function patternProblem({ pattern, format }: TextAsk): string | undefined {
  if (format !== undefined && !["email", "uri", "date", "date-time"].includes(format)) {
    return `its format is ${show(format)}; it may be email, uri, date or date-time`;
  }
  return pattern === undefined || isPattern(pattern)
    ? undefined
    : `its pattern ${show(pattern)} is no regular expression`;
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function numberProblem({ min, max, integer }: NumberAsk): string | undefined {
  for (const bound of [min, max]) {
    if (bound !== undefined && !Number.isFinite(bound)) return `${show(bound)} is no bound for a number`;
  }
  const none = integer === true && min !== undefined && max !== undefined && Math.ceil(min) > Math.floor(max);
  return reversed(min, max) ?? (none ? `there is no whole number between ${min} and ${max}` : undefined);
}

function countProblem(
  min: number | undefined,
  max: number | undefined,
  options: readonly Choice[],
): string | undefined {
  if (min !== undefined && min > options.length) return `it wants ${min} of only ${options.length} options`;
  return lengthProblem({
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
  });
}

function rangeOfDates(ask: DateAsk): string | undefined {
  for (const bound of [ask.min, ask.max]) {
    const problem =
      bound === undefined
        ? undefined
        : misfit({ type: "string", format: ask.time === true ? "date-time" : "date" }, bound);
    if (problem !== undefined) return `its bound ${show(bound)} ${problem}`;
  }
  return ask.min !== undefined && ask.max !== undefined && Date.parse(ask.min) > Date.parse(ask.max)
    ? `its min (${ask.min}) is after its max (${ask.max})`
    : undefined;
}

function fileProblem(
  accept: readonly string[] | undefined,
  maxBytes: number | undefined,
): string | undefined {
  if (accept !== undefined && (!Array.isArray(accept) || accept.length === 0))
    return "it accepts no kind of file";
  return maxBytes !== undefined && !(maxBytes > 0) ? `its maxBytes is ${show(maxBytes)}` : undefined;
}

function reversed(min: number | undefined, max: number | undefined): string | undefined {
  return min !== undefined && max !== undefined && min > max
    ? `its min (${min}) is above its max (${max})`
    : undefined;
}

/** The default of a form is its fields' own; `form-schema.ts` looks at those. */
function defaultProblem(ask: Ask): string | undefined {
  const suggestion: unknown = "default" in ask ? ask.default : undefined;
  if (suggestion === undefined) return undefined;
  const problem = misfit(answerSchema(ask), suggestion);
  return problem === undefined ? undefined : `its default ${show(suggestion)} ${problem}`;
}
