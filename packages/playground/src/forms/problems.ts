/**
 * What is wrong with an input, each with its place and its words.
 *
 *   1. A schema that cannot be used here finds nothing wrong: the server has the last word.
 *   2. Of alternatives none of which fits, the problems of the one that was meant are told; where that cannot be seen, that none fits.
 */
import { Validator, type OutputUnit, type SchemaDraft } from "@cfworker/json-schema";
import type { JsonSchema } from "../desk/offer.ts";
import { namesAlong, saidAt, valueAt } from "./schema-path.ts";
import { wordsFor } from "./problem-words.ts";
import { withQuickPatterns } from "./quick-patterns.ts";

export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
  readonly keyword: string;
}

/** These say only that something is wrong further in. */
const OUTER = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "dependentSchemas",
  "dependencies",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "allOf",
  "if",
  "$ref",
  "$recursiveRef",
]);

export function problemsOf(schema: JsonSchema, value: unknown): readonly Problem[] {
  const problems = innermost(misfits(schema, value)).map((unit) => problemOf(schema, value, unit));
  const first = new Map(problems.toReversed().map((problem) => [sameAs(problem), problem]));
  return problems.filter((problem) => first.get(sameAs(problem)) === problem);
}

export const fits = (schema: JsonSchema, value: unknown): boolean => misfits(schema, value).length === 0;

function misfits(schema: JsonSchema, value: unknown): readonly OutputUnit[] {
  try {
    // The validator writes into the schema, and knows no `undefined`.
    const text = JSON.stringify(value ?? null);
    const plain: unknown = JSON.parse(text);
    const quick = withQuickPatterns(structuredClone(schema), text.length);
    return new Validator(quick, draftOf(schema), false).validate(plain).errors;
  } catch {
    return [];
  }
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  if (typeof $schema !== "string") return "2020-12";
  if ($schema.includes("draft-07")) return "7";
  return $schema.includes("draft-04") ? "4" : "2020-12";
}

/** Problems stand behind the outer ones that they are in. */
function innermost(units: readonly OutputUnit[]): readonly OutputUnit[] {
  const found: OutputUnit[] = [];
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (unit === undefined || OUTER.has(unit.keyword)) continue;
    if (unit.keyword !== "anyOf" && unit.keyword !== "oneOf") {
      found.push(unit);
      continue;
    }
    const under: OutputUnit[] = [];
    for (let next = units[at + 1]; next !== undefined && isUnder(unit, next); next = units[at + 1]) {
      under.push(next);
      at++;
    }
    found.push(...(meant(unit, under) ?? [unit]));
  }
  return found;
}

const isUnder = (outer: OutputUnit, unit: OutputUnit): boolean =>
  unit.keywordLocation.startsWith(`${outer.keywordLocation}/`);

/** The problems of the one alternative whose type and constants fit, where there is just one. */
function meant(union: OutputUnit, under: readonly OutputUnit[]): readonly OutputUnit[] | undefined {
  const branches = new Map<string, OutputUnit[]>();
  for (const unit of under) {
    const name = unit.keywordLocation
      .slice(union.keywordLocation.length + 1)
      .split("/", 1)
      .join("");
    branches.set(name, [...(branches.get(name) ?? []), unit]);
  }
  const near = [...branches.values()].filter(
    (branch) =>
      !branch.some(({ keyword, instanceLocation }) => {
        const depth = namesAlong(instanceLocation).length - namesAlong(union.instanceLocation).length;
        return (keyword === "type" && depth === 0) || (keyword === "const" && depth <= 1);
      }),
  );
  return near.length === 1 && near[0] !== undefined ? innermost(near[0]) : undefined;
}

function problemOf(
  schema: JsonSchema,
  value: unknown,
  { keyword, keywordLocation, instanceLocation, error }: OutputUnit,
): Problem {
  const path = namesAlong(instanceLocation);
  // The validator names what is missing only in its sentence.
  const missing = keyword.endsWith("equired")
    ? error.slice(error.lastIndexOf(' "') + 2, error.lastIndexOf('"'))
    : undefined;
  return {
    path: missing === undefined ? path : [...path, missing],
    message: wordsFor(
      keyword,
      saidAt(schema, keywordLocation),
      saidAt(schema, keywordLocation.replace(/\/[^/]*$/, "")),
      valueAt(value, path),
    ),
    keyword,
  };
}

const sameAs = ({ path, message }: Problem): string => JSON.stringify([path, message]);
