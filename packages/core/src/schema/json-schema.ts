/**
 * Schemas of inputs, outputs and forms.
 *
 * An author gives a Standard Schema or JSON Schema. Both become a `Schema`: JSON Schema, which can be sent and compared, and the
 * Standard Schema, if there is one, which values must fit as well.
 */
import { InvalidDefinition } from "../errors.ts";
import { copyJson, deepFreeze, isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";
import { isStandardSchema, type StandardSchema } from "./standard-schema.ts";

/** A JSON Schema: 2020-12, unless its `$schema` is draft-07. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

export type SchemaLike = StandardSchema | JsonSchema;

export interface Schema {
  readonly json: JsonSchema;
  readonly standard?: StandardSchema;
}

/** Parses an author's schema; `whose` names it in errors. */
export function parseSchema(given: unknown, direction: "input" | "output", whose: string): Schema {
  const standard = isStandardSchema(given) ? given : undefined;
  const described = standard === undefined ? given : toJsonSchema(standard, direction, whose);
  const copied = isPlainObject(described) ? copyJson(described) : undefined;
  if (copied === undefined || "problem" in copied) {
    throw new InvalidDefinition(
      `${whose} is ${describeValue(given)}; give a Standard Schema (zod, valibot, arktype) or JSON Schema.`,
    );
  }
  // The copy of a plain object is a plain object.
  const plain = copied.json as JsonSchema;
  if (standard === undefined) return { json: deepFreeze(plain) };
  return { json: deepFreeze(withoutFormatPatterns(plain) as JsonSchema), standard };
}

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/**
 * Removes the `pattern` that a library adds to a `format`: errors about a format are clearer, and the library checks the value
 * as well.
 */
function withoutFormatPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormatPatterns);
  if (!isPlainObject(schema)) return schema;
  const hasBoth = typeof schema["format"] === "string" && typeof schema["pattern"] === "string";
  const kept = Object.entries(schema).filter(([keyword]) => !hasBoth || keyword !== "pattern");
  return Object.fromEntries(
    kept.map(([keyword, value]) => [
      keyword,
      DATA_KEYWORDS.has(keyword) ? value : withoutFormatPatterns(value),
    ]),
  );
}

function toJsonSchema(schema: StandardSchema, direction: "input" | "output", whose: string): object {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema === undefined) {
    const remedy =
      vendor === "valibot"
        ? "wrap it in toStandardJsonSchema() of @valibot/to-json-schema"
        : "use a version of the library that implements Standard JSON Schema, or give JSON Schema";
    throw new InvalidDefinition(`${whose} (${vendor}) cannot describe itself as JSON Schema; ${remedy}.`);
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
