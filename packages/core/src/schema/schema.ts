/**
 * Schemas of inputs, outputs and forms.
 *
 * An author gives a Standard Schema or JSON Schema. Both become a `Schema`: JSON Schema, which can be sent and compared, and the
 * Standard Schema, if there is one, which values must fit as well.
 */
import { InvalidDefinition } from "../errors.ts";
import { copyJson, deepFreeze, isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";

/** A JSON Schema: 2020-12, unless its `$schema` is draft-07. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** A schema as an author gives it. */
export type SchemaLike = StandardSchema | JsonSchema;

/** A parsed schema. `Accepted`: the type of the values that it accepts. */
export interface Schema<Accepted = unknown> {
  readonly json: JsonSchema;
  readonly standard?: StandardSchema<Accepted, unknown>;
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

/**
 * The Standard Schema interface (standardschema.dev), as far as Photon uses it. zod, valibot and arktype implement it. Declared here so
 * that core depends on no schema library.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: how the schema describes itself. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Some libraries' schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = Reflect.get(value, "~standard");
  return (
    typeof standard === "object" &&
    standard !== null &&
    typeof Reflect.get(standard, "validate") === "function"
  );
}

/** The type of valid values: as the library declares it, or inferred from a JSON Schema literal. */
export type ValueOf<Given> = Given extends StandardSchema
  ? NonNullable<Given["~standard"]["types"]>["output"]
  : JsonValueOf<Given, "filled">;

/** The type of the values that a schema accepts, before defaults are filled in and values are transformed. */
export type AcceptedBy<Given> = Given extends StandardSchema
  ? NonNullable<Given["~standard"]["types"]>["input"]
  : JsonValueOf<Given, "absent">;

/** Whether properties with a default are filled in, or may be absent. */
type Defaults = "filled" | "absent";

type JsonValueOf<Given, Default extends Defaults> = Given extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Given extends { readonly oneOf: readonly { readonly const: infer Value }[] }
    ? Value
    : Given extends { readonly anyOf: readonly { readonly const: infer Value }[] }
      ? Value
      : Given extends { readonly type: "string" }
        ? string
        : Given extends { readonly type: "number" | "integer" }
          ? number
          : Given extends { readonly type: "boolean" }
            ? boolean
            : Given extends { readonly type: "array"; readonly items: infer Items }
              ? JsonValueOf<Items, Default>[]
              : Given extends { readonly type: "object"; readonly properties: infer Properties }
                ? ObjectOf<Properties, Given, Default>
                : unknown;

/** Required properties are present, and those with a default where defaults are filled in. */
type ObjectOf<Properties, Given, Default extends Defaults> = {
  -readonly [
    Name in keyof Properties as Name extends Present<Properties, Given, Default> ? Name : never
  ]: JsonValueOf<Properties[Name], Default>;
} & {
  -readonly [Name in keyof Properties as Name extends Present<Properties, Given, Default> ? never : Name]?:
    | JsonValueOf<Properties[Name], Default>
    | undefined;
};

type Present<Properties, Given, Default extends Defaults> =
  | (Given extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | (Default extends "filled"
      ? {
          [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown } ? Name : never;
        }[keyof Properties]
      : never);
