import type { JsonSchema } from "@photon/core";

/** What the source of a generator says of it: enough to make a tool. */
export interface Signature {
  readonly description?: string;
  readonly input: JsonSchema;
  /** What it is called with, in order. */
  readonly parameters: readonly Parameter[];
}

export type Parameter =
  /** The whole input: `({ city }: { city: string })`. */
  | { readonly is: "input" }
  /** One property of the input: `(city: string)`. */
  | { readonly is: "property"; readonly name: string }
  /** A property of the input that is a list: `(...cities: string[])`. */
  | { readonly is: "rest"; readonly name: string }
  | { readonly is: "context" };
