import type { OutputOf, StandardSchema } from "./standard.ts";

/** What a schema lets through: as the library says, or as far as JSON Schema written in place tells. */
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

/** Required properties are there, and so are those with a default, which is filled in. */
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
