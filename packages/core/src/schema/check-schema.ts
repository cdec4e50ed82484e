/**
 * Whether JSON Schema that an author wrote is valid, before ajv is loaded: a mistake is found where the tool is defined.
 *
 * Only what ajv would refuse is refused here, in words and with its place. Keywords that are not known are annotations.
 */
import { InvalidDefinition } from "../errors.ts";
import { isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";
import type { Schema } from "./json-schema.ts";

/** Throws where a schema is none; `whose` names it: "The input of the tool book". */
export function assertSchema({ json, standard }: Schema, whose: string): void {
  // A library has written it.
  if (standard !== undefined) return;
  const problem = problemIn(json, "", json);
  if (problem !== undefined) throw new InvalidDefinition(`${whose} is no valid JSON Schema: ${problem}.`);
}

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "object", "array", "null"];

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => typeof value === "number";
const areTexts = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((one) => typeof one === "string") &&
  new Set(value).size === value.length;

/** What the value of a keyword is, by a check and in words. */
type Rule = readonly [fits: (value: unknown) => boolean, words: string];

const COUNT: Rule = [isCount, "a whole number from 0"];
const NUMBER: Rule = [isNumber, "a number"];
const FLAG: Rule = [(value) => typeof value === "boolean", "true or false"];
const TEXT: Rule = [(value) => typeof value === "string", "a text"];
const RULES: Readonly<Record<string, Rule>> = {
  type: [
    (value) =>
      Array.isArray(value)
        ? value.length > 0 &&
          value.every((one) => TYPES.includes(one)) &&
          new Set(value).size === value.length
        : TYPES.includes(value),
    `one of ${TYPES.join(", ")}, or a list of some`,
  ],
  required: [areTexts, "a list of names"],
  enum: [(value) => Array.isArray(value) && value.length > 0, "a list of values"],
  pattern: [isPattern, "a regular expression"],
  multipleOf: [(value) => isNumber(value) && Number(value) > 0, "a number above 0"],
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: NUMBER,
  exclusiveMaximum: NUMBER,
  minLength: COUNT,
  maxLength: COUNT,
  minItems: COUNT,
  maxItems: COUNT,
  minProperties: COUNT,
  maxProperties: COUNT,
  minContains: COUNT,
  maxContains: COUNT,
  uniqueItems: FLAG,
  format: TEXT,
  title: TEXT,
  description: TEXT,
  $ref: TEXT,
};

/** Keywords that hold a schema, a list of schemas, or schemas by name. */
const ONE = new Set([
  "additionalProperties",
  "additionalItems",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const NAMED = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

function problemIn(schema: unknown, at: string, root: unknown): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isPlainObject(schema)) return `${at} is ${describeValue(schema)}; it is a schema`;
  for (const [keyword, value] of Object.entries(schema)) {
    const place = at === "" ? keyword : `${at}.${keyword}`;
    const rule = RULES[keyword];
    const problem =
      rule?.[0](value) === false
        ? `${place} is ${describeValue(value)}; it is ${rule[1]}`
        : keyword === "$ref" && isMissing(String(value), root)
          ? `${place} is ${describeValue(value)}, which is not in the schema`
          : problemWithin(keyword, value, place, root);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What is wrong with the schemas that a keyword holds. */
function problemWithin(keyword: string, value: unknown, at: string, root: unknown): string | undefined {
  // Draft 7 has a list where 2020-12 has `prefixItems`.
  const isList = LISTS.has(keyword) || (keyword === "items" && Array.isArray(value));
  if (!isList && ONE.has(keyword)) return problemIn(value, at, root);
  if (!isList && !NAMED.has(keyword)) return undefined;
  if (isList ? !Array.isArray(value) || value.length === 0 : !isPlainObject(value))
    return `${at} is ${describeValue(value)}; it is ${isList ? "a list of schemas" : "an object of schemas"}`;
  for (const [name, inner] of Object.entries(value as object)) {
    if (keyword === "patternProperties" && !isPattern(name))
      return `${at} has ${describeValue(name)}; that is no regular expression`;
    const problem = problemIn(inner, `${at}.${name}`, root);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether a reference to a place in the same schema leads nowhere. Others are left to ajv. */
function isMissing(ref: string, root: unknown): boolean {
  if (!ref.startsWith("#/")) return false;
  let found = root;
  for (const part of ref.slice(2).split("/")) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    // A schema with an address of its own is another document.
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return true;
    found = Reflect.get(found, name);
  }
  return false;
}

/** Whether a text is a regular expression as JSON Schema reads it. */
export function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
