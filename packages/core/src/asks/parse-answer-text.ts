/**
 * Reads what was given as the answer to a question, by the kind of the question: a text from a flag, a file or a line of stdin, or
 * what a model passes on.
 *
 * A text that cannot be read as that kind is returned as it is. The check of the answer says that it does not fit.
 */
import { isPlainObject } from "../util/json.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Ask, Choice, FormSchema } from "../ask-types.ts";
import { dayFrom, jsonFrom, numberFrom, yesOrNo } from "./read-answer-text.ts";

/** The answer that was given, with texts read by kind. Files and visits to a web address are not answered by a value. */
export function answerFrom(ask: Exclude<Ask, { ask: "url" | "file" }>, given: unknown): unknown {
  if (ask.ask === "form") return fieldsFrom(ask.schema, typeof given === "string" ? jsonFrom(given) : given);
  if (ask.ask === "multiselect" && Array.isArray(given))
    return given.map((one: unknown) => (typeof one === "string" ? optionFrom(ask.options, one) : one));
  if (typeof given !== "string") return given;
  switch (ask.ask) {
    case "text":
    case "secret":
      return given;
    case "number":
      return numberFrom(given);
    case "confirm":
      return yesOrNo(given);
    case "select":
      return optionFrom(ask.options, given);
    case "multiselect":
      return optionsFrom(ask.options, given);
    case "date":
      return ask.time === true ? given.trim() : dayFrom(given);
    default:
      return ask satisfies never;
  }
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

/** The value of an option, by its value or its title. */
function optionFrom(options: readonly Choice[], text: string): string {
  const trimmed = text.trim();
  const wanted = trimmed.toLowerCase();
  const found =
    options.find(({ value }) => value === trimmed) ??
    options.find(({ title }) => title.toLowerCase() === wanted) ??
    options.find(({ value }) => value.toLowerCase() === wanted);
  return found?.value ?? trimmed;
}

/** Several values: as JSON, or with commas between them. */
function optionsFrom(options: readonly Choice[], text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const whole = optionFrom(options, trimmed);
  if (options.some(({ value }) => value === whole)) return [whole];
  const list = trimmed.startsWith("[") ? jsonFrom(trimmed) : undefined;
  if (Array.isArray(list)) return list.map((one: unknown) => optionFrom(options, String(one)));
  return trimmed.split(",").map((one) => optionFrom(options, one));
}
