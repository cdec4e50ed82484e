/**
 * From a TypeScript type, as it is written, to JSON Schema.
 *
 * No types are worked out: what is written is read, and what would need a
 * compiler to be understood is refused, with its place and the way out.
 */
import type { JsonSchema } from "@photon/core";
import type { TSTupleElement, TSType, TSTypeOperator } from "oxc-parser";
import { literalOf } from "./literals.ts";
import { readIndexed, readKeys } from "./read-keys.ts";
import { intersectionOf, readMembers } from "./read-object.ts";
import { readImported, readReference } from "./read-reference.ts";
import type { Read, Scope } from "./scope.ts";
import { quote, refuse, type SourceFile, type Sources, type Span } from "./sources.ts";
import { unionOf } from "./union.ts";

/** The scope of a file's own types. */
export const scopeOf = (file: SourceFile, sources: Sources): Scope => ({
  read: readType,
  sources,
  file,
  given: new Map(),
  within: [],
});

function readType(type: TSType, scope: Scope): Read {
  switch (type.type) {
    case "TSUndefinedKeyword":
    case "TSVoidKeyword":
      return { schema: { not: {} }, isOptional: true };
    case "TSUnionType":
      return unionOf(type.types.map((part) => readType(part, scope)));
    case "TSTypeReference":
      return readReference(type, scope);
    case "TSImportType":
      return readImported(type, scope);
    case "TSJSDocNullableType":
      return unionOf([readType(type.typeAnnotation, scope), certain({ type: "null" })]);
    case "TSJSDocNonNullableType":
    case "TSParenthesizedType":
      return readType(type.typeAnnotation, scope);
    default:
      return certain(schemaOf(type, scope));
  }
}

const certain = (schema: JsonSchema): Read => ({ schema, isOptional: false });

type Simple = Exclude<
  TSType,
  {
    readonly type:
      | "TSUndefinedKeyword"
      | "TSVoidKeyword"
      | "TSUnionType"
      | "TSTypeReference"
      | "TSImportType"
      | "TSJSDocNullableType"
      | "TSJSDocNonNullableType"
      | "TSParenthesizedType";
  }
>;

function schemaOf(type: Simple, scope: Scope): JsonSchema {
  switch (type.type) {
    case "TSStringKeyword":
      return { type: "string" };
    case "TSNumberKeyword":
      return { type: "number" };
    case "TSBooleanKeyword":
      return { type: "boolean" };
    case "TSNullKeyword":
      return { type: "null" };
    case "TSObjectKeyword":
      return { type: "object" };
    case "TSAnyKeyword":
    case "TSUnknownKeyword":
    case "TSJSDocUnknownType":
      return {};
    case "TSLiteralType": {
      const literal = literalOf(type.literal);
      if (literal === undefined) throw unreadable(type, scope);
      return { type: typeof literal.value, const: literal.value };
    }
    case "TSArrayType":
      return { type: "array", items: readType(type.elementType, scope).schema };
    case "TSTupleType":
      return tupleOf(type.elementTypes, scope);
    case "TSTypeLiteral":
      return readMembers(type.members, scope);
    case "TSIntersectionType":
      return intersectionOf(
        type.types.map((part) => readType(part, scope).schema),
        () => unreadable(type, scope),
      );
    case "TSTypeOperator":
      return operatorOf(type, scope);
    case "TSIndexedAccessType":
      return readIndexed(type, scope);
    default:
      throw unreadable(type, scope);
  }
}

function operatorOf(type: TSTypeOperator, scope: Scope): JsonSchema {
  switch (type.operator) {
    case "readonly":
      return readType(type.typeAnnotation, scope).schema;
    case "keyof":
      return readKeys(type.typeAnnotation, scope);
    case "unique":
      throw unreadable(type, scope);
    default:
      return type.operator satisfies never;
  }
}

function tupleOf(elements: readonly TSTupleElement[], scope: Scope): JsonSchema {
  const parts = elements.map((element) => elementOf(element, scope));
  const rest = parts.find(({ is }) => is === "rest");
  const places = parts.filter(({ is }) => is !== "rest");
  // `[...string[], number]`: JSON Schema counts from the start only.
  if (rest !== undefined && parts.at(-1) !== rest) {
    const [first] = elements;
    throw refuse(
      scope.file,
      first ?? { start: 0, end: 0 },
      "A tuple may have a rest at its end only; change it",
    );
  }
  return {
    type: "array",
    ...(places.length === 0 ? {} : { prefixItems: places.map(({ schema }) => schema) }),
    items: rest === undefined ? false : rest.schema["items"],
    minItems: parts.filter(({ is }) => is === "required").length,
    ...(rest === undefined ? { maxItems: places.length } : {}),
  };
}

function elementOf(
  element: TSTupleElement,
  scope: Scope,
): { readonly schema: JsonSchema; readonly is: "required" | "optional" | "rest" } {
  switch (element.type) {
    case "TSNamedTupleMember": {
      const inner = elementOf(element.elementType, scope);
      return element.optional ? { ...inner, is: "optional" } : inner;
    }
    case "TSOptionalType":
      return { schema: readType(element.typeAnnotation, scope).schema, is: "optional" };
    case "TSRestType": {
      const { typeAnnotation } = element;
      const named =
        typeAnnotation.type === "TSNamedTupleMember" ? typeAnnotation.elementType : typeAnnotation;
      return { schema: elementOf(named, scope).schema, is: "rest" };
    }
    default: {
      const { schema, isOptional } = readType(element, scope);
      return { schema, is: isOptional ? "optional" : "required" };
    }
  }
}

function unreadable(type: Span, { file }: Scope): Error {
  return refuse(
    file,
    type,
    `The type ${quote(file, type)} cannot be read as JSON; use a simpler one (texts, numbers, literals, lists, objects)`,
  );
}
