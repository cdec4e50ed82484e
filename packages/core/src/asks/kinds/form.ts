/**
 * `ask.form`: several fields at once, from a record of asks, a Standard Schema or JSON Schema.
 *
 *   1. Forms are flat, because clients can show no others: text, numbers, booleans, and one or several of some texts.
 *   2. Defaults fill the optional fields that were left empty, nothing else.
 */
import type { AskOptions, Choice, FieldAsk, FormAsk, FormSchema } from "../../ask-types.ts";
import { InvalidAsk } from "../../errors.ts";
import { isPattern } from "../../schema/check-schema.ts";
import { type JsonSchema, parseSchema } from "../../schema/json-schema.ts";
import { isStandardSchema, type StandardSchema, type ValueOf } from "../../schema/standard-schema.ts";
import { checkValue, type Verdict } from "../../schema/validator.ts";
import { markUsed } from "../../unyielded-effects.ts";
import { describeValue } from "../../util/describe-value.ts";
import { deepCopy, deepFreeze, isPlainObject, jsonFrom } from "../../util/json.ts";
import type { AskKindDescriptor } from "../ask-kind.ts";
import { choicesOf, hasSchemaType, schemaViolation } from "../flat-schema.ts";
import { makeAsk } from "../make-ask.ts";
import type { AnswerOf, Yieldable } from "../yieldable.ts";
import { multiselectKind, optionFrom, optionsFrom, selectKind } from "./choice.ts";
import { confirmKind, yesOrNo } from "./confirm.ts";
import { dateKind } from "./date.ts";
import { numberFrom, numberKind } from "./number.ts";
import { ratingKind } from "./rating.ts";
import { textKind } from "./text.ts";

/** The kinds that a form can have as a field. */
export const fieldKinds: {
  readonly [Kind in FieldAsk["ask"]]: AskKindDescriptor<Extract<FieldAsk, { ask: Kind }>>;
} = {
  text: textKind,
  number: numberKind,
  rating: ratingKind,
  confirm: confirmKind,
  select: selectKind,
  multiselect: multiselectKind,
  date: dateKind,
};

export const formKind: AskKindDescriptor<FormAsk> = {
  kind: "form",
  options: { default: true, schema: true },
  parseOptions: ({ schema }, message) => ({ schema: parseFormSchema(schema, message) }),
  answerSchema: ({ schema }) => schema,
  parseAnswer: ({ schema }, given) => fieldsFrom(schema, typeof given === "string" ? jsonFrom(given) : given),
  checkAnswer: checkForm,
  prefill: prefillForm,
};

/** A field that may be left empty. */
export interface OptionalField<Answer> {
  readonly optional: Yieldable<FieldAsk, Answer>;
}

/** The fields of a form, each an ask. */
export interface FieldMap {
  readonly [field: string]: Yieldable<FieldAsk, unknown> | OptionalField<unknown>;
}

/** The answer to a form. */
export type FormAnswer<Fields> = Fields extends StandardSchema | { readonly type: "object" }
  ? ValueOf<Fields>
  : {
      -readonly [Name in keyof Fields]: Fields[Name] extends OptionalField<infer Answer>
        ? Answer | undefined
        : AnswerOf<Fields[Name]>;
    };

/** Several fields at once: a record of asks, a Standard Schema, or flat JSON Schema. */
export function form<
  const Fields extends FieldMap | StandardSchema | (JsonSchema & { readonly type: "object" }),
>(
  message: string,
  fields: Fields,
  options: AskOptions<Record<string, unknown>, FormAnswer<NoInfer<Fields>>> = {},
): Yieldable<FormAsk, FormAnswer<Fields>> {
  const made: unknown = makeAsk(formKind, message, { ...options, schema: fields });
  // Its answer is what the fields it was made of let through.
  return made as Yieldable<FormAsk, FormAnswer<Fields>>;
}

/** Makes a field of a form optional. */
export function optional<Answer>(field: Yieldable<FieldAsk, Answer>): OptionalField<Answer> {
  markUsed(field);
  return Object.freeze({ optional: field });
}

/** The schema of the field that asks for a value: the answer, its title, description and default. */
export function fieldSchema(ask: FieldAsk): JsonSchema {
  const kind: AskKindDescriptor<FieldAsk> = fieldKinds[ask.ask];
  const { label, message, description, default: suggestion } = ask;
  return {
    ...(kind.fieldSchema?.(ask) ?? kind.answerSchema(ask)),
    title: label ?? message,
    ...(description === undefined ? {} : { description }),
    ...(suggestion === undefined ? {} : { default: suggestion }),
  };
}

/** Options that only an ask of its own can have; `dangerous` above all, which no program may answer. */
const NOT_OF_A_FIELD = ["id", "timeout", "retries", "fallback", "dangerous"];

function parseFormSchema(given: unknown, question: string): FormSchema {
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
    const isOptional = isPlainObject(value) && "optional" in value;
    const field: unknown = isOptional ? value["optional"] : value;
    if (!isFieldAsk(field)) {
      throw new InvalidAsk(
        question,
        `its field ${JSON.stringify(name)} is ${describeValue(field)}; a field is an ask.${Object.keys(fieldKinds).join(", ")}`,
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
    if (!isOptional) required.push(name);
  }
  return deepFreeze({ type: "object", properties: Object.fromEntries(properties), required });
}

function isFieldAsk(value: unknown): value is FieldAsk {
  return isPlainObject(value) && value["emit"] === "ask" && Object.hasOwn(fieldKinds, String(value["ask"]));
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

/** Some libraries leave out the type of an enumeration. */
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

/** How many fields a sentence names. */
const MAX_NAMED = 10;

/** Accepting a form without any content leaves all of its fields empty. */
async function checkForm({ schema }: FormAsk, value: unknown = {}): Promise<Verdict> {
  if (typeof value === "string")
    return { problem: `it must be JSON with these fields: ${outlineOf(schema)}` };
  if (!isPlainObject(value)) return { problem: "it must be an object with its fields" };
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const isOptional = schema.required?.includes(name) !== true;
    const filled = given === undefined && isOptional ? deepCopy(field["default"]) : given;
    if (filled !== undefined) content[name] = filled;
  }
  const standard = schema["~standard"];
  return checkValue(
    { json: schema, ...(standard === undefined ? {} : { standard: { "~standard": standard } }) },
    content,
    { subject: "it" },
  );
}

/** A form as JSON with its values left out: `{"email":…}`. */
export function outlineOf({ properties }: FormSchema): string {
  const names = Object.keys(properties).map((name) => `${JSON.stringify(name)}:…`);
  return `{${names.slice(0, MAX_NAMED).join(",")}${names.length > MAX_NAMED ? ",…" : ""}}`;
}

function prefillForm(question: FormAsk, last: unknown): FormAsk {
  if (!isPlainObject(last)) return question;
  const fitting = Object.entries(question.schema.properties).flatMap(([name, field]) => {
    const value = Object.hasOwn(last, name) ? last[name] : undefined;
    return hasSchemaType(field, value) ? [[name, { field, value }] as const] : [];
  });
  const properties = {
    ...question.schema.properties,
    ...Object.fromEntries(fitting.map(([name, { field, value }]) => [name, { ...field, default: value }])),
  };
  const suggested = { ...question, schema: { ...question.schema, properties } };
  if (question.default === undefined) return suggested;
  // The last answer replaces the default of the author.
  const entered = Object.fromEntries(fitting.map(([name, { value }]) => [name, value]));
  return { ...suggested, default: { ...question.default, ...entered } };
}

function fieldsFrom({ properties }: FormSchema, given: unknown): unknown {
  if (!isPlainObject(given)) return given;
  const fields = Object.entries(given).map(([name, value]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [
      name,
      field === undefined || typeof value !== "string" ? value : fieldFrom(field, value),
    ] as const;
  });
  return Object.fromEntries(fields);
}

function fieldFrom(field: JsonSchema, text: string): unknown {
  switch (field.type) {
    case "number":
    case "integer":
      return numberFrom(text);
    case "boolean":
      return yesOrNo(text);
    case "array":
      return optionsFrom(isPlainObject(field["items"]) ? optionsIn(field["items"]) : [], text);
    default: {
      const options = optionsIn(field);
      return options.length === 0 ? text : optionFrom(options, text);
    }
  }
}

/** The options of a field, plain or as `{ const, title }`. */
function optionsIn(field: JsonSchema): readonly Choice[] {
  const { enumNames } = field;
  const given: unknown = field["enum"] ?? field["oneOf"] ?? field["anyOf"];
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const options: readonly unknown[] = Array.isArray(given) ? given : [];
  return options.map((one, index) => {
    const { const: value, title = value } = isPlainObject(one)
      ? one
      : { const: one, title: names[index] ?? one };
    return { value: String(value), title: String(title) };
  });
}
