/** Values that are written out in the source. */
import type { Expression, TSLiteral } from "oxc-parser";
import type { Json, JsonSchema } from "@photon/core";

/** The JSON that an expression is, where it is written out; nothing where it has to be run. */
export function literalOf(node: Expression | TSLiteral): { readonly value: Json } | undefined {
  switch (node.type) {
    case "Literal":
      return isJsonLiteral(node.value) ? { value: node.value } : undefined;
    case "TemplateLiteral": {
      const [only] = node.quasis;
      return node.quasis.length === 1 && only !== undefined ? { value: only.value.cooked ?? "" } : undefined;
    }
    case "UnaryExpression": {
      const inner = literalOf(node.argument);
      return node.operator === "-" && typeof inner?.value === "number" ? { value: -inner.value } : undefined;
    }
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return literalOf(node.expression);
    case "ArrayExpression": {
      const items = node.elements.map((element) =>
        element === null || element.type === "SpreadElement" ? undefined : literalOf(element),
      );
      return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value ?? null) };
    }
    case "ObjectExpression": {
      const entries = node.properties.map((property) => {
        if (property.type === "SpreadElement" || property.computed) return undefined;
        const key = keyOf(property.key);
        const value = literalOf(property.value);
        return key === undefined || value === undefined ? undefined : ([key, value.value] as const);
      });
      // Every one was looked at.
      return entries.includes(undefined)
        ? undefined
        : { value: Object.fromEntries(entries as (readonly [string, Json])[]) };
    }
    default:
      return undefined;
  }
}

const isJsonLiteral = (value: unknown): value is string | number | boolean | null =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** The name of a property, where it is written out. */
export function keyOf(node: { readonly type: string }): string | undefined {
  if ("name" in node && node.type === "Identifier") return String(node.name);
  if ("value" in node && node.type === "Literal") return String(node.value);
  return undefined;
}

/** What a default says of the type of its parameter; nothing where it does not say enough. */
export function schemaOfValue(value: Json): JsonSchema | undefined {
  if (Array.isArray(value)) {
    const items = value.map(schemaOfValue);
    const [first] = items;
    const isOne = items.every((item) => JSON.stringify(item) === JSON.stringify(first));
    return first !== undefined && isOne ? { type: "array", items: first } : undefined;
  }
  return value === null || typeof value === "object" ? undefined : { type: typeof value };
}
