/** The fields of an input schema, with `$ref` and null resolved; and as rows of the help. Pure. */
import type { JsonSchema } from "@photon/core";
import type { Flags, Row } from "../flags/flags.ts";
import { oneLine } from "../terminal/text.ts";
import { isRecord } from "../unknown.ts";

export interface InputField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** In the order of the schema. */
export function fieldsOf(schema: JsonSchema, root: JsonSchema = schema): readonly InputField[] {
  const whole = resolved(schema, root);
  return Object.entries(whole.properties ?? {}).map(([name, property]) => ({
    name,
    schema: resolved(property, root),
    isRequired: whole.required?.includes(name) === true,
  }));
}

/** Follows `$ref`, and takes the other branch of a schema that allows null. */
export function resolved(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref: reference } = schema;
  if (depth > 20) return schema;
  if (typeof reference === "string") {
    const found = referredTo(reference, root);
    if (found === undefined) return schema;
    const { $ref: _, ...beside } = schema;
    return { ...resolved(found, root, depth + 1), ...beside };
  }
  const branches: unknown = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(branches)) return schema;
  const solid = branches.filter(isRecord).filter((branch) => branch["type"] !== "null");
  const [only] = solid;
  if (solid.length !== 1 || only === undefined) return schema;
  const { anyOf: _, oneOf: __, ...beside } = schema;
  return { ...resolved(only, root, depth + 1), ...beside };
}

/** The schema at "#/$defs/name". */
function referredTo(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isRecord(found) ? found : undefined;
}

/** The types that a schema allows; empty if it has none. */
export function typesOf({ type, enum: values, const: constant }: JsonSchema): readonly string[] {
  if (typeof type === "string") return [type];
  if (type !== undefined) return type;
  const known: readonly unknown[] = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  return [...new Set(known.map((value) => (value === null ? "null" : typeof value)))];
}

/** One row for each field, as a flag; `own` are the flags of the command. */
export const inputRows = (input: JsonSchema, own: Flags): readonly Row[] =>
  fieldsOf(input).map((field) => rowOf(field, input, own));

function rowOf({ name, schema, isRequired }: InputField, root: JsonSchema, ownFlags: Flags): Row {
  const description = typeof schema["description"] === "string" ? schema["description"].trim() : "";
  const title = typeof schema["title"] === "string" ? schema["title"].trim() : "";
  const value = valueOf(schema, root);
  const suggestion = schema["default"] === undefined ? "" : `default ${JSON.stringify(schema["default"])}`;
  const notes = [isRequired ? "required" : "", boundsOf(schema), suggestion, partsOf(name, schema)].filter(
    Boolean,
  );
  const words = [description || title, notes.length === 0 ? "" : `(${notes.join("; ")})`].filter(Boolean);
  const isFlag = typesOf(schema).includes("boolean");
  // The command has a flag of this name: the field is given after "--".
  const own = Object.hasOwn(ownFlags, name) ? "-- " : "";
  return {
    usage: oneLine(`${own}--${isFlag ? "[no-]" : ""}${name}${value === "" ? "" : ` ${value}`}`),
    summary: oneLine(words.join(" ")),
  };
}

/** The placeholder of a value: `<text>`, `single|double`, `<JSON>`. */
function valueOf(schema: JsonSchema, root: JsonSchema): string {
  const values: unknown = schema["enum"];
  if (Array.isArray(values) && values.length <= 6) return values.map(String).join("|");
  const types = typesOf(schema);
  if (types.includes("boolean")) return "";
  if (types.includes("string")) return "<text>";
  if (types.includes("integer") || types.includes("number"))
    return `<${types.includes("integer") ? "integer" : "number"}>`;
  if (!types.includes("array")) return "<JSON>";
  const items: unknown = schema["items"];
  return `${valueOf(isRecord(items) ? resolved(items, root) : {}, root)} …`;
}

/** The text of each keyword that the help shows. */
const BOUNDS: Readonly<Record<string, (bound: string | number) => string>> = {
  minimum: (bound) => `at least ${bound}`,
  maximum: (bound) => `at most ${bound}`,
  minLength: (bound) => `at least ${bound} character${Number(bound) === 1 ? "" : "s"}`,
  maxLength: (bound) => `at most ${bound} character${Number(bound) === 1 ? "" : "s"}`,
  format: (bound) => `${bound}`,
  patternMessage: (bound) => `${bound}`,
};

function boundsOf(schema: JsonSchema): string {
  const bounds = Object.entries(BOUNDS).flatMap(([keyword, format]) => {
    const bound = schema[keyword];
    return typeof bound === "string" || typeof bound === "number" ? [format(bound)] : [];
  });
  return bounds.join(", ");
}

const partsOf = (name: string, schema: JsonSchema): string => {
  const [first] = Object.keys(schema.properties ?? {});
  return first === undefined ? "" : `or by part: --${name}.${first} …`;
};
