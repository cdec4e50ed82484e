/** `ask.form`: several fields at once. Defaults fill the optional fields that were left empty, nothing else. */
import type { JsonSchema, StandardSchema, ValueOf } from "../schema/schema.ts";
import { checkValue, type Verdict } from "../schema/validator.ts";
import { markUsed } from "../unyielded-effects.ts";
import { deepCopy, getOwn, isPlainObject, jsonFrom } from "../util/json.ts";
import { type AskBase, type AskKindDescriptor, type AskOptions, makeAsk } from "./ask-kind.ts";
import { hasSchemaType } from "./flat-schema.ts";
import { type FieldAsk, type FormSchema, parseFieldText, parseFormSchema } from "./form-schema.ts";
import type { AnswerOf, Yieldable } from "./yieldable.ts";

/** Several fields at once. */
export interface FormAsk extends AskBase<"form", { readonly [field: string]: unknown }> {
  readonly schema: FormSchema;
}

export const form: AskKindDescriptor<FormAsk, Record<string, unknown>> & { readonly create: typeof create } =
  {
    kind: "form",
    create,
    options: { default: true, schema: true },
    parseOptions: ({ schema }, message) => ({ schema: parseFormSchema(schema, message) }),
    answerSchema: ({ schema }) => schema,
    parseAnswer({ schema: { properties } }, given) {
      const fields = typeof given === "string" ? jsonFrom(given) : given;
      if (!isPlainObject(fields)) return fields;
      const parsed = Object.entries(fields).map(([name, value]) => {
        const field = getOwn(properties, name);
        return [
          name,
          field === undefined || typeof value !== "string" ? value : parseFieldText(field, value),
        ];
      });
      return Object.fromEntries(parsed) as unknown;
    },
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
function create<const Fields extends FieldMap | StandardSchema | (JsonSchema & { readonly type: "object" })>(
  message: string,
  fields: Fields,
  options: AskOptions<Record<string, unknown>, FormAnswer<NoInfer<Fields>>> = {},
): Yieldable<FormAsk, FormAnswer<Fields>> {
  const made: unknown = makeAsk(form, message, { ...options, schema: fields });
  // The fields determine the type of the answer.
  return made as Yieldable<FormAsk, FormAnswer<Fields>>;
}

/** Makes a field of a form optional. */
export function optional<Answer>(field: Yieldable<FieldAsk, Answer>): OptionalField<Answer> {
  markUsed(field);
  return Object.freeze({ optional: field });
}

/** The most fields that an error names. */
const MAX_NAMED = 10;

/** Accepting a form without any content leaves all of its fields empty. */
async function checkForm(
  { schema }: FormAsk,
  value: unknown = {},
): Promise<Verdict<Record<string, unknown>>> {
  if (typeof value === "string")
    return { problem: `it must be JSON with these fields: ${outlineOf(schema)}` };
  if (!isPlainObject(value)) return { problem: "it must be an object with its fields" };
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const given = getOwn(value, name);
    const isOptional = schema.required?.includes(name) !== true;
    const filled = given === undefined && isOptional ? deepCopy(field["default"]) : given;
    if (filled !== undefined) content[name] = filled;
  }
  const standard = schema["~standard"];
  return checkValue(
    { json: schema, ...(standard === undefined ? {} : { standard: { "~standard": standard } }) },
    content,
    // Its schema is that of an object.
  ) as Promise<Verdict<Record<string, unknown>>>;
}

/** The fields of a form. The values in the `default` of the form are their defaults. */
export function suggestedFields({ schema, default: defaults = {} }: FormAsk): FormSchema["properties"] {
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const suggestion = getOwn(defaults, name);
    return [name, suggestion === undefined ? field : { ...field, default: suggestion }] as const;
  });
  return Object.fromEntries(fields);
}

/** A form as JSON with its values left out: `{"email":…}`. */
export function outlineOf({ properties }: FormSchema): string {
  const names = Object.keys(properties).map((name) => `${JSON.stringify(name)}:…`);
  return `{${names.slice(0, MAX_NAMED).join(",")}${names.length > MAX_NAMED ? ",…" : ""}}`;
}

function prefillForm(question: FormAsk, last: unknown): FormAsk {
  if (!isPlainObject(last)) return question;
  const properties: Record<string, JsonSchema> = { ...question.schema.properties };
  const entered: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = getOwn(last, name);
    if (!hasSchemaType(field, value)) continue;
    entered[name] = value;
    properties[name] = { ...field, default: value };
  }
  const suggested = { ...question, schema: { ...question.schema, properties } };
  // The last answer replaces the default of the author.
  return question.default === undefined
    ? suggested
    : { ...suggested, default: { ...question.default, ...entered } };
}
