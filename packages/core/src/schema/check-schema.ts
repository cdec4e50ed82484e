/**
 * Checks JSON Schema that an author wrote, without loading ajv: a mistake throws where the tool is defined.
 *
 * Rejects only what ajv would reject, and names the keyword. Unknown keywords are annotations.
 */
import { InvalidDefinition } from "../errors.ts";
import { isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";
import type { Schema } from "./schema.ts";

/** `whose` names the schema in the error: "The input of the tool book". */
export function assertSchema({ json, standard }: Schema, whose: string): void {
  // Schema libraries generate valid JSON Schema.
  if (standard !== undefined) return;
  const problem = schemaProblem(json, "", json);
  if (problem !== undefined) throw new InvalidDefinition(`${whose} is not a valid JSON Schema: ${problem}.`);
}

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "object", "array", "null"];

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => typeof value === "number";
const areUniqueStrings = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((one) => typeof one === "string") &&
  new Set(value).size === value.length;

/** A check of a keyword's value, and its description for the error. */
type Rule = readonly [isValid: (value: unknown) => boolean, expected: string];

const COUNT: Rule = [isCount, "a whole number from 0"];
const NUMBER: Rule = [isNumber, "a number"];
const FLAG: Rule = [(value) => typeof value === "boolean", "true or false"];
const TEXT: Rule = [(value) => typeof value === "string", "a string"];
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
  required: [areUniqueStrings, "a list of names"],
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
const SCHEMA_KEYWORDS = new Set([
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
const LIST_KEYWORDS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const MAP_KEYWORDS = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

function schemaProblem(schema: unknown, at: string, root: unknown): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isPlainObject(schema)) return `${at} must be a schema, not ${describeValue(schema)}`;
  for (const [keyword, value] of Object.entries(schema)) {
    const place = at === "" ? keyword : `${at}.${keyword}`;
    const rule = RULES[keyword];
    const problem =
      rule?.[0](value) === false
        ? `${place} must be ${rule[1]}, not ${describeValue(value)}`
        : keyword === "$ref" && isDanglingRef(String(value), root)
          ? `${place} is ${describeValue(value)}, which does not exist in the schema`
          : nestedProblem(keyword, value, place, root);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The first problem of the schemas in the value of a keyword. */
function nestedProblem(keyword: string, value: unknown, at: string, root: unknown): string | undefined {
  // Draft 7 has a list where 2020-12 has `prefixItems`.
  const isList = LIST_KEYWORDS.has(keyword) || (keyword === "items" && Array.isArray(value));
  if (!isList && SCHEMA_KEYWORDS.has(keyword)) return schemaProblem(value, at, root);
  if (!isList && !MAP_KEYWORDS.has(keyword)) return undefined;
  if (isList ? !Array.isArray(value) || value.length === 0 : !isPlainObject(value))
    return `${at} must be ${isList ? "a list of schemas" : "an object of schemas"}, not ${describeValue(value)}`;
  for (const [name, inner] of Object.entries(value as object)) {
    if (keyword === "patternProperties" && !isPattern(name))
      return `${at} has ${describeValue(name)}, which is not a regular expression`;
    const problem = schemaProblem(inner, `${at}.${name}`, root);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether a reference into the same schema does not exist. Other references are left to ajv. */
function isDanglingRef(ref: string, root: unknown): boolean {
  if (!ref.startsWith("#/")) return false;
  let found = root;
  for (const part of ref.slice(2).split("/")) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return true;
    found = Reflect.get(found, name);
  }
  return false;
}

/** Whether a value is a regular expression for JSON Schema, which has the flag `u`. */
export function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
