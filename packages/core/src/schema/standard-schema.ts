/**
 * The Standard Schema interface (standardschema.dev), as far as Photon uses it.
 *
 * zod, valibot and arktype implement it. Declared here so that core depends on no schema library.
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

type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

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
export type ValueOf<Given> = Given extends StandardSchema ? OutputOf<Given> : JsonValueOf<Given>;

type JsonValueOf<Given> = Given extends { readonly enum: readonly (infer Value)[] }
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
              ? JsonValueOf<Items>[]
              : Given extends { readonly type: "object"; readonly properties: infer Properties }
                ? ObjectOf<Properties, Given>
                : unknown;

/** Required properties and those with a default, which is filled in, are present. */
type ObjectOf<Properties, Given> = {
  -readonly [Name in keyof Properties as Name extends Present<Properties, Given> ? Name : never]: JsonValueOf<
    Properties[Name]
  >;
} & {
  -readonly [Name in keyof Properties as Name extends Present<Properties, Given> ? never : Name]?:
    | JsonValueOf<Properties[Name]>
    | undefined;
};

type Present<Properties, Given> =
  | (Given extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | {
      [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown } ? Name : never;
    }[keyof Properties];
