/**
 * The schemas of inputs, outputs and forms, as JSON Schema.
 *
 * An author gives a Standard Schema or plain JSON Schema. Inside, both are one
 * thing: JSON Schema that can be sent and compared, and behind it, where the
 * author gave one, the Standard Schema that has the last word on a value.
 */
import { InvalidDefinition } from "../errors.ts";
import { copyJson, deepFreeze, isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

/** A JSON Schema (2020-12 unless it says otherwise). */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** What an author may give where a schema is wanted. */
export type SchemaLike = StandardSchema | JsonSchema;

/** A schema ready for use. */
export interface Schema {
  readonly json: JsonSchema;
  readonly standard?: StandardSchema;
}

/** Reads what an author gave as a schema; `whose` names it in the error where it is none. */
export function readSchema(given: unknown, direction: "input" | "output", whose: string): Schema {
  const standard = isStandardSchema(given) ? given : undefined;
  const described = standard === undefined ? given : describe(standard, direction, whose);
  const copied = isPlainObject(described) ? copyJson(described) : undefined;
  if (copied === undefined || "problem" in copied) {
    throw new InvalidDefinition(
      `${whose} is ${describeValue(given)}; give a Standard Schema (zod, valibot, arktype) or JSON Schema.`,
    );
  }
  // A copy of a plain object is one, and it is JSON.
  const plain = copied.json as JsonSchema;
  if (standard === undefined) return { json: deepFreeze(plain) };
  return { json: deepFreeze(withoutFormatPatterns(plain) as JsonSchema), standard };
}

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/**
 * Without the patterns by which a library spells out a format that it also names: the format says it to people, and the library
 * itself has the last word.
 */
function withoutFormatPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormatPatterns);
  if (!isPlainObject(schema)) return schema;
  const isSpeltOut = typeof schema["format"] === "string" && typeof schema["pattern"] === "string";
  const kept = Object.entries(schema).filter(([keyword]) => !isSpeltOut || keyword !== "pattern");
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, DATA.has(keyword) ? value : withoutFormatPatterns(value)]),
  );
}

function describe(schema: StandardSchema, direction: "input" | "output", whose: string): object {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema === undefined) {
    const way =
      vendor === "valibot"
        ? "wrap it in toStandardJsonSchema() of @valibot/to-json-schema"
        : "use a version of the library that speaks Standard JSON Schema, or give JSON Schema";
    throw new InvalidDefinition(`${whose} (${vendor}) cannot describe itself as JSON Schema; ${way}.`);
  }
  try {
    return jsonSchema[direction]({ target: "draft-2020-12" });
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    throw new InvalidDefinition(
      `${whose} (${vendor}) cannot be described as JSON Schema: ${reason}; use parts that JSON Schema has, or give JSON Schema.`,
      {
        cause: error,
      },
    );
  }
}
