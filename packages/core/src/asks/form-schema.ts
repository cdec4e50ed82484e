/**
 * The schema of a form: from a record of asks, a Standard Schema or JSON Schema; and the inverse, from a field to its ask.
 *
 * Forms are flat, because clients show no others: text, numbers, booleans, and choices of one or several texts.
 */
import { InvalidAsk } from "../errors.ts";
import { isPattern } from "../schema/check-schema.ts";
import { isStandardSchema, type JsonSchema, parseSchema, type StandardSchema } from "../schema/schema.ts";
import { markUsed } from "../unyielded-effects.ts";
import { describeValue } from "../util/describe-value.ts";
import { deepFreeze, isPlainObject, omitUndefined } from "../util/json.ts";
import type { FieldKindDescriptor } from "./ask-kind.ts";
import { choicesOf, hasSchemaType, schemaViolation } from "./flat-schema.ts";
import * as kinds from "./kinds.ts";

type Kinds = typeof kinds;

/** The ask, and the answer, of a kind in the list. */
export type TypesOf<Kind> = Kind extends { readonly types?: infer Types extends object } ? Types : never;

type FieldKind = {
  [Kind in keyof Kinds]: Kinds[Kind] extends { readonly isField: true } ? Kind : never;
}[keyof Kinds];

/** An ask that one field of a form can carry. */
export type FieldAsk = TypesOf<Kinds[FieldKind]>["ask"];

const descriptors = Object.fromEntries(
  Object.entries(kinds).filter(([, kind]) => "isField" in kind),
) as unknown as { readonly [Kind in FieldKind]: FieldKindDescriptor<FieldAsk> };

/** The names of the kinds that a field can have, sorted. */
export const fieldKinds: readonly FieldKind[] = (Object.keys(descriptors) as FieldKind[]).toSorted();

/** The fields of a form as flat JSON Schema, and the Standard Schema behind it if the author gave one. */
export type FormSchema = JsonSchema & {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly "~standard"?: StandardSchema["~standard"];
};

/** Keywords of fields that the forms of MCP do not have, each with a check of its value. */
export const extraKeywords: { readonly [keyword: string]: (value: unknown) => boolean } = Object.fromEntries(
  Object.values(descriptors).flatMap(({ extraKeywords: keywords }) => Object.entries(keywords ?? {})),
);

/** The schema of the field that asks for a value: the answer, its title, description and default. */
export function fieldSchema(ask: FieldAsk): JsonSchema {
  const kind = descriptors[ask.ask];
  const { label, message, description, default: suggestion } = ask;
  return {
    ...(kind.fieldSchema?.(ask) ?? kind.answerSchema(ask)),
    title: label ?? message,
    ...omitUndefined({ description, default: suggestion }),
  };
}

/** The order in which a field is compared with the kinds: kinds with an annotation of their own first. Text takes the rest. */
const parseOrder = Object.values(descriptors)
  .filter(({ kind }) => kind !== "text")
  .toSorted((one, other) => Number(other.annotations !== undefined) - Number(one.annotations !== undefined));

/** The ask of a field: the inverse of `fieldSchema`. Also for fields that another server wrote. */
export function fieldAsk(name: string, schema: JsonSchema): FieldAsk {
  const { title, description, default: suggestion } = schema;
  const kind = parseOrder.find((one) => one.optionsFromField(schema) !== undefined) ?? kinds.text;
  const message = typeof title === "string" && title !== "" ? title : name;
  const about = typeof description === "string" ? { description } : {};
  // The kind has parsed its own options.
  const ask = {
    emit: "ask",
    ask: kind.kind,
    message,
    ...about,
    ...kind.optionsFromField(schema),
  } as FieldAsk;
  return hasSchemaType(kind.answerSchema(ask), suggestion)
    ? ({ ...ask, default: suggestion } as FieldAsk)
    : ask;
}

/** Parses the answer to one field that came as text. */
export function parseFieldText(field: JsonSchema, text: string): unknown {
  const ask = fieldAsk("", field);
  return descriptors[ask.ask].parseAnswer?.(ask, text) ?? text;
}

/** Options that a field cannot have: a form is answered as a whole, and its client may fill in fields by itself. */
const NON_FIELD_OPTIONS = ["id", "timeout", "retries", "fallback", "dangerous"];

export function parseFormSchema(given: unknown, question: string): FormSchema {
  const fields = fieldsOf(given, question);
  const schema = fields ?? schemaOf(given, question);
  const names = Object.keys(schema.properties);
  if (names.length === 0) throw new InvalidAsk(question, "its form has no fields");
  for (const name of names) {
    const problem =
      name === "__proto__" ? "cannot be a field's name" : flatProblem(schema.properties[name] ?? {});
    if (problem !== undefined) throw invalidField(question, name, problem);
  }
  const absent = schema.required?.find((name) => !names.includes(name));
  if (absent !== undefined)
    throw new InvalidAsk(question, `it requires ${JSON.stringify(absent)}, which is not one of its fields`);
  return schema;
}

const invalidField = (question: string, name: string, problem: string): InvalidAsk =>
  new InvalidAsk(question, `its field ${JSON.stringify(name)} ${problem}`);

/** A record whose values are asks, or `ask.optional` of one. */
function fieldsOf(given: unknown, question: string): FormSchema | undefined {
  if (!isPlainObject(given) || typeof given["type"] === "string" || isStandardSchema(given)) return undefined;
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const isOptional = isPlainObject(value) && "optional" in value;
    const field: unknown = isOptional ? value["optional"] : value;
    if (!isFieldAsk(field)) {
      const kindsOfFields = `ask.${fieldKinds.join(", ask.")}`;
      throw invalidField(question, name, `is ${describeValue(field)}; a field is an ${kindsOfFields}`);
    }
    const invalidOption = NON_FIELD_OPTIONS.find((option) => Object.hasOwn(field, option));
    if (invalidOption !== undefined)
      throw invalidField(
        question,
        name,
        `has the option ${invalidOption}, which only a separate ask can have`,
      );
    markUsed(field);
    properties.push([name, fieldSchema(field)]);
    if (!isOptional) required.push(name);
  }
  return deepFreeze({ type: "object", properties: Object.fromEntries(properties), required });
}

function isFieldAsk(value: unknown): value is FieldAsk {
  return isPlainObject(value) && value["emit"] === "ask" && Object.hasOwn(descriptors, String(value["ask"]));
}

function schemaOf(given: unknown, question: string): FormSchema {
  const { json, standard } = parseSchema(given, "input", `The schema of ${JSON.stringify(question)}`);
  if (json.type !== "object" || !isPlainObject(json.properties)) {
    throw new InvalidAsk(question, "its schema is not that of an object with properties");
  }
  // `$schema` names a dialect, which is not part of the question; `type` was checked above.
  const { $schema: _, ...rest } = json;
  const properties = Object.fromEntries(
    Object.entries(json.properties).map(([name, field]) => [name, withType(field)]),
  );
  const schema = { ...rest, type: "object" as const, properties };
  // Hidden, so that the question stays plain data: it can be sent, compared and spread.
  if (standard !== undefined) Object.defineProperty(schema, "~standard", { value: standard["~standard"] });
  return deepFreeze(schema);
}

/** Some schema libraries leave out the type of an enumeration. */
function withType(field: JsonSchema): JsonSchema {
  const values: unknown = field["enum"] ?? field["oneOf"];
  return field.type === undefined && Array.isArray(values) ? { type: "string", ...field } : field;
}

function flatProblem(field: JsonSchema): string | undefined {
  const problem = shapeProblem(field) ?? boundsProblem(field);
  if (problem !== undefined || field["default"] === undefined) return problem;
  const violation = schemaViolation(field, field["default"]);
  return violation === undefined
    ? undefined
    : `has the default ${describeValue(field["default"])}, which ${violation}`;
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
        : "is a list of values other than choices";
    }
    default:
      return "is not text, a number, true or false, or a choice; a form has no nested fields";
  }
}

function areTexts(choices: readonly unknown[]): boolean {
  return choices.length > 0 && choices.every((choice) => typeof choice === "string");
}

/** The problem of a field that has no possible value. */
function boundsProblem(field: JsonSchema): string | undefined {
  const items: unknown = field["items"];
  const choices = choicesOf(field.type === "array" && isPlainObject(items) ? items : field) ?? [];
  if (new Set(choices).size < choices.length) return "offers a choice twice";
  if (field["pattern"] !== undefined && !isPattern(field["pattern"]))
    return "has a pattern that is not a regular expression";
  for (const [least, most] of [
    ["minimum", "maximum"],
    ["minLength", "maxLength"],
    ["minItems", "maxItems"],
  ] as const) {
    if (Number(field[least]) > Number(field[most])) return `has a ${least} above its ${most}`;
  }
  return undefined;
}
