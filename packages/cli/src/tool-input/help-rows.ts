/** The input of a tool as rows of the help. Pure. */
import type { JsonSchema } from "@photon/core";
import type { Flags, Row } from "../flags/flags.ts";
import { isRecord } from "../is-record.ts";
import { oneLine } from "../terminal/text.ts";
import { fieldsOf, resolved, typesOf, type InputField } from "./schema-fields.ts";

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
  const told = Object.entries(BOUNDS).flatMap(([keyword, tell]) => {
    const bound = schema[keyword];
    return typeof bound === "string" || typeof bound === "number" ? [tell(bound)] : [];
  });
  return told.join(", ");
}

const partsOf = (name: string, schema: JsonSchema): string => {
  const [first] = Object.keys(schema.properties ?? {});
  return first === undefined ? "" : `or by part: --${name}.${first} …`;
};
