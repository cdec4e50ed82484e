/** A field of a form, or of a tool's input, as the question it is: the other way round than core's field maps. Pure. */
import {
  ratingMaxOf,
  type Choice,
  type FieldAsk,
  type JsonSchema,
  type RatingMax,
  type RatingValue,
} from "@photon/core";
import { isRecord } from "./is-record.ts";

/** Whether a schema is flat enough for a question of its own. */
export function isFlat(schema: JsonSchema): boolean {
  if (schema.type === "array") {
    const choices = choicesIn(schema["items"]);
    return choices !== undefined && choices.length > 0;
  }
  return ["string", "number", "integer", "boolean"].includes(String(schema.type));
}

export function fieldAsk(name: string, schema: JsonSchema): FieldAsk {
  const common = {
    emit: "ask" as const,
    message: textIn(schema, "title") ?? name,
    ...given(schema, { description: "description" }),
  };
  const suggestion = schema["default"];
  switch (schema.type) {
    case "boolean":
      return {
        ...common,
        ask: "confirm",
        ...(typeof suggestion === "boolean" ? { default: suggestion } : {}),
      };
    case "number":
    case "integer": {
      const max = ratingMaxOf(schema);
      if (max !== undefined)
        return {
          ...common,
          ask: "rating",
          max,
          // Its own schema has let it through.
          ...(typeof suggestion === "number" ? { default: suggestion as RatingValue<RatingMax> } : {}),
        };
      return {
        ...common,
        ask: "number",
        integer: schema.type === "integer",
        ...given(schema, { minimum: "min", maximum: "max" }),
        ...(typeof suggestion === "number" ? { default: suggestion } : {}),
      };
    }
    case "array":
      return {
        ...common,
        ask: "multiselect",
        options: choicesIn(schema["items"]) ?? [],
        ...given(schema, { minItems: "min", maxItems: "max" }),
        ...(Array.isArray(suggestion) ? { default: suggestion.map(String) } : {}),
      };
    default:
      return textualAsk(common, schema, typeof suggestion === "string" ? { default: suggestion } : {});
  }
}

type Common = { readonly emit: "ask"; readonly message: string };

function textualAsk(common: Common, schema: JsonSchema, suggestion: { readonly default?: string }): FieldAsk {
  const options = choicesIn(schema);
  if (options !== undefined) return { ...common, ask: "select", options, ...suggestion };
  const { format } = schema;
  if (format === "date" || format === "date-time")
    return {
      ...common,
      ask: "date",
      time: format === "date-time",
      ...given(schema, { formatMinimum: "min", formatMaximum: "max" }),
      ...suggestion,
    };
  return {
    ...common,
    ask: "text",
    ...given(schema, {
      minLength: "minLength",
      maxLength: "maxLength",
      pattern: "pattern",
      patternMessage: "patternMessage",
    }),
    ...(format === "email" || format === "uri" ? { format } : {}),
    ...suggestion,
  };
}

/** What a schema lets choose from: `enum`, with the names beside it, or constants with titles. */
function choicesIn(schema: unknown): readonly Choice[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values))
    return values.map((value: unknown, index) => ({
      value: String(value),
      title: Array.isArray(names) && typeof names[index] === "string" ? names[index] : String(value),
    }));
  const constants: unknown = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(constants)) return undefined;
  const choices = constants.filter(isRecord).filter((one) => typeof one["const"] === "string");
  if (choices.length < constants.length) return undefined;
  return choices.map((one) => ({
    value: String(one["const"]),
    title: typeof one["title"] === "string" ? one["title"] : String(one["const"]),
    ...(typeof one["description"] === "string" ? { description: one["description"] } : {}),
  }));
}

const textIn = (schema: JsonSchema, keyword: string): string | undefined => {
  const text = schema[keyword];
  return typeof text === "string" && text !== "" ? text : undefined;
};

/** What a schema says of some keywords, under the names they have in a question. */
function given(schema: JsonSchema, names: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(names).flatMap(([keyword, name]) =>
      schema[keyword] === undefined ? [] : [[name, schema[keyword]]],
    ),
  );
}
