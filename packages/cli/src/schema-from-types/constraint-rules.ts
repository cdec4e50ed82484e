/** What a constraint in a comment is called, and what it is in JSON Schema. */
type Type = "number" | "string" | "array";
export type Rule = {
  readonly keyword: string;
  readonly for: Type;
  readonly takes: "number" | "count" | "text" | "flag";
};

export const RULES: Readonly<Record<string, readonly Rule[]>> = {
  minimum: [{ keyword: "minimum", for: "number", takes: "number" }],
  maximum: [{ keyword: "maximum", for: "number", takes: "number" }],
  exclusiveMinimum: [{ keyword: "exclusiveMinimum", for: "number", takes: "number" }],
  exclusiveMaximum: [{ keyword: "exclusiveMaximum", for: "number", takes: "number" }],
  multipleOf: [{ keyword: "multipleOf", for: "number", takes: "number" }],
  integer: [{ keyword: "type", for: "number", takes: "flag" }],
  minLength: [{ keyword: "minLength", for: "string", takes: "count" }],
  maxLength: [{ keyword: "maxLength", for: "string", takes: "count" }],
  pattern: [{ keyword: "pattern", for: "string", takes: "text" }],
  format: [{ keyword: "format", for: "string", takes: "text" }],
  minItems: [{ keyword: "minItems", for: "array", takes: "count" }],
  maxItems: [{ keyword: "maxItems", for: "array", takes: "count" }],
  uniqueItems: [{ keyword: "uniqueItems", for: "array", takes: "flag" }],
  min: [
    { keyword: "minimum", for: "number", takes: "number" },
    { keyword: "minLength", for: "string", takes: "count" },
    { keyword: "minItems", for: "array", takes: "count" },
  ],
  max: [
    { keyword: "maximum", for: "number", takes: "number" },
    { keyword: "maxLength", for: "string", takes: "count" },
    { keyword: "maxItems", for: "array", takes: "count" },
  ],
};
