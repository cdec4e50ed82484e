/**
 * The fields of a form, from a field map, a Standard Schema or JSON Schema.
 *
 * Forms are flat, because that is what clients can show: an object whose
 * properties are text, numbers, booleans, or a choice of one or of several texts.
 */
import { InvalidAsk } from "../errors.ts";
import { deepFreeze, isPlainObject } from "../util/json.ts";
import { markUsed } from "../unyielded-effects.ts";
import { type JsonSchema, parseSchema } from "../schema/json-schema.ts";
import { isStandardSchema } from "../schema/standard-schema.ts";
import { describeValue } from "../util/describe-value.ts";
import { type FieldAsk, fieldSchema } from "./answer-schema.ts";
import type { FormSchema } from "../ask-types.ts";
import { choicesOf, schemaViolation } from "./validate-ask.ts";
import { isPattern } from "../schema/check-schema.ts";

/** What a form cannot keep for one of its fields; `dangerous` above all, which must not be answered by a program. */
const NOT_OF_A_FIELD = ["id", "timeout", "retries", "fallback", "dangerous"];

const FIELD_KINDS = new Set(["text", "number", "confirm", "select", "multiselect", "date"]);

export function readFormSchema(given: unknown, question: string): FormSchema {
  const fields = fieldsOf(given, question);
  const schema = fields ?? schemaOf(given, question);
  const names = Object.keys(schema.properties);
  if (names.length === 0) throw new InvalidAsk(question, "its form has no fields");
  for (const name of names) {
    const problem =
      name === "__proto__" ? "cannot be a field's name" : flatProblem(schema.properties[name] ?? {});
    if (problem !== undefined) throw new InvalidAsk(question, `its field ${JSON.stringify(name)} ${problem}`);
  }
  const absent = schema.required?.find((name) => !names.includes(name));
  if (absent !== undefined)
    throw new InvalidAsk(question, `it requires ${JSON.stringify(absent)}, which is none of its fields`);
  return schema;
}

/** A record whose values are asks, or `ask.optional` of one. */
function fieldsOf(given: unknown, question: string): FormSchema | undefined {
  if (!isPlainObject(given) || typeof given["type"] === "string" || isStandardSchema(given)) return undefined;
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const optional = isPlainObject(value) && "optional" in value;
    const field: unknown = optional ? value["optional"] : value;
    if (!isFieldAsk(field)) {
      throw new InvalidAsk(
        question,
        `its field ${JSON.stringify(name)} is ${describeValue(field)}; a field is an ask.text, number, confirm, select, multiselect or date`,
      );
    }
    const lost = NOT_OF_A_FIELD.find((option) => Object.hasOwn(field, option));
    if (lost !== undefined) {
      throw new InvalidAsk(
        question,
        `its field ${JSON.stringify(name)} says ${lost}, which only a question of its own can`,
      );
    }
    markUsed(field);
    properties.push([name, fieldSchema(field)]);
    if (!optional) required.push(name);
  }
  return deepFreeze({ type: "object", properties: Object.fromEntries(properties), required });
}

function isFieldAsk(value: unknown): value is FieldAsk {
  return isPlainObject(value) && value["emit"] === "ask" && FIELD_KINDS.has(String(value["ask"]));
}

function schemaOf(given: unknown, question: string): FormSchema {
  const { json, standard } = parseSchema(given, "input", `The schema of ${JSON.stringify(question)}`);
  if (json.type !== "object" || !isPlainObject(json.properties)) {
    throw new InvalidAsk(question, "its schema is not that of an object with properties");
  }
  // `$schema` names a dialect, which is not part of what is asked; `type` was looked at above.
  const { $schema: _, ...rest } = json;
  const properties = Object.fromEntries(
    Object.entries(json.properties).map(([name, field]) => [name, typed(field)]),
  );
  const schema = { ...rest, type: "object" as const, properties };
  // Hidden, so that the question stays plain data: it can be sent, compared and spread.
  if (standard !== undefined) Object.defineProperty(schema, "~standard", { value: standard["~standard"] });
  return deepFreeze(schema);
}

/** Some libraries leave the type of a choice to its values. */
function typed(field: JsonSchema): JsonSchema {
  const values: unknown = field["enum"] ?? field["oneOf"];
  return field.type === undefined && Array.isArray(values) ? { type: "string", ...field } : field;
}

function flatProblem(field: JsonSchema): string | undefined {
  const problem = shapeProblem(field) ?? boundsProblem(field);
  if (problem !== undefined || field["default"] === undefined) return problem;
  const unfit = schemaViolation(field, field["default"]);
  return unfit === undefined
    ? undefined
    : `has the default ${describeValue(field["default"])}, which ${unfit}`;
}

function shapeProblem(field: JsonSchema): string | undefined {
  switch (field.type) {
    case "string":
      return areTexts(choicesOf(field) ?? [""]) ? undefined : "offers choices that are not text";
    case "number":
    case "integer":
      return "enum" in field || "oneOf" in field
        ? "offers numbers to choose from; make them texts"
        : undefined;
    case "boolean":
      return undefined;
    case "array": {
      const items: unknown = field["items"];
      const choices = isPlainObject(items) ? choicesOf(items) : undefined;
      return choices !== undefined && areTexts(choices)
        ? undefined
        : "is a list of something else than choices";
    }
    default:
      return "is not text, a number, true or false, or a choice; a form has no nested fields";
  }
}

function areTexts(choices: readonly unknown[]): boolean {
  return choices.length > 0 && choices.every((choice) => typeof choice === "string");
}

/** What makes a field impossible to fill in. */
function boundsProblem(field: JsonSchema): string | undefined {
  const items: unknown = field["items"];
  const choices = choicesOf(field.type === "array" && isPlainObject(items) ? items : field) ?? [];
  if (new Set(choices).size < choices.length) return "offers a choice twice";
  if (field["pattern"] !== undefined && !isPattern(field["pattern"]))
    return "has a pattern that is no regular expression";
  for (const [least, most] of [
    ["minimum", "maximum"],
    ["minLength", "maxLength"],
    ["minItems", "maxItems"],
  ] as const) {
    if (Number(field[least]) > Number(field[most])) return `has a ${least} above its ${most}`;
  }
  return undefined;
}
