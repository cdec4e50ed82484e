/** Types by name: type parameters, TypeScript's own (`Array`, `Record`, `Pick`), and those somebody declared. */
import type { JsonSchema } from "@photon/core";
import type {
  TSEnumDeclaration,
  TSImportType,
  TSInterfaceDeclaration,
  TSType,
  TSTypeName,
  TSTypeReference,
} from "oxc-parser";
import { findDeclarations, findExports, type Declaration } from "./find-declarations.ts";
import { keyOf, literalOf } from "./literals.ts";
import { isObjectSchema, overlay, readMembers } from "./read-object.ts";
import { BUILT_IN, NOT_JSON } from "./built-in-types.ts";
import { enter, type Read, type Scope } from "./scope.ts";
import { quote, refuse, type Span } from "./sources.ts";
import { enumOf } from "./union.ts";

export function readReference(type: TSTypeReference, scope: Scope): Read {
  const { typeName, typeArguments } = type;
  const args = typeArguments?.params ?? [];
  const given = typeName.type === "Identifier" ? scope.given.get(typeName.name) : undefined;
  if (given !== undefined) return scope.read(given.type, given.scope);
  const declarations = declarationsOf(typeName, scope);
  if (declarations.length > 0) return readDeclared(type, declarations, args, scope);
  const name = quote(scope.file, typeName);
  const builtIn = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (builtIn !== undefined) return builtIn(args, scope, type);
  const member = typeName.type === "TSQualifiedName" ? enumMember(typeName, scope) : undefined;
  if (member !== undefined) return { schema: member, isOptional: false };
  const hint = Object.hasOwn(NOT_JSON, name) ? NOT_JSON[name] : undefined;
  throw refuse(
    scope.file,
    type,
    hint ?? `The type ${name} is declared neither in this file nor in one that it imports; declare it here`,
  );
}

/** `import("./types.ts").Booking`, which is how comments name the types of other files. */
export function readImported(type: TSImportType, scope: Scope): Read {
  const { source, qualifier, typeArguments } = type;
  const from = scope.sources.resolve(source.value, scope.file.path);
  const name = qualifier?.type === "Identifier" ? qualifier.name : undefined;
  const declarations = from === undefined || name === undefined ? [] : findExports(name, from, scope.sources);
  return readDeclared(type, declarations, typeArguments?.params ?? [], scope);
}

function declarationsOf(name: TSTypeName, scope: Scope): readonly Declaration[] {
  const found =
    name.type === "Identifier"
      ? findDeclarations(name.name, scope.file, scope.sources)
      : name.type === "TSQualifiedName"
        ? declarationsOf(name.left, scope).flatMap((left) =>
            left.in === "namespace" ? findExports(name.right.name, left.file, scope.sources) : [],
          )
        : [];
  return found.filter((declaration) => declaration.in !== "file" || declaration.node.type !== "Value");
}

function readDeclared(
  type: Span,
  declarations: readonly Declaration[],
  args: readonly TSType[],
  scope: Scope,
): Read {
  const parts = declarations.map((declaration) => readDeclaration(type, declaration, args, scope));
  const [first, ...others] = parts;
  if (first === undefined) throw cannotRead(type, scope, "cannot be found; declare it here");
  // Interfaces of one name are one.
  const schema = others.reduce(
    (before, { schema: after }) =>
      isObjectSchema(before) && isObjectSchema(after) ? overlay(before, after) : before,
    first.schema,
  );
  return { schema, isOptional: first.isOptional };
}

function readDeclaration(type: Span, declaration: Declaration, args: readonly TSType[], scope: Scope): Read {
  if (declaration.in === "package") {
    const where = JSON.stringify(declaration.specifier);
    throw cannotRead(type, scope, `comes from ${where}, which is not looked into; declare it here`);
  }
  if (declaration.in === "namespace") throw cannotRead(type, scope, "is a whole file; name one of its types");
  const { node, file } = declaration;
  if (scope.within.includes(node))
    throw cannotRead(type, scope, "refers to itself, however deep; give it an end");
  switch (node.type) {
    case "TSTypeAliasDeclaration":
      return scope.read(node.typeAnnotation, enter(scope, file, node, node.typeParameters, args));
    case "TSInterfaceDeclaration":
      return {
        schema: interfaceOf(node, enter(scope, file, node, node.typeParameters, args)),
        isOptional: false,
      };
    case "TSEnumDeclaration":
      return { schema: enumOf(enumValues(node, scope, file)), isOptional: false };
    default:
      throw cannotRead(type, scope, "is a class or a value, and no input is one; use an interface");
  }
}

function cannotRead(type: Span, { file }: Scope, because: string): Error {
  return refuse(file, type, `The type ${quote(file, type)} ${because}`);
}

function interfaceOf(node: TSInterfaceDeclaration, scope: Scope): JsonSchema {
  const own = readMembers(node.body.body, scope);
  return node.extends.reduceRight((after, heritage) => {
    const { expression, typeArguments } = heritage;
    if (expression.type !== "Identifier")
      throw cannotRead(heritage, scope, "is extended by an expression; name an interface");
    // A reference by name, with the arguments it was given.
    const reference: TSTypeReference = {
      type: "TSTypeReference",
      typeName: expression,
      typeArguments,
      start: heritage.start,
      end: heritage.end,
    };
    const base = readReference(reference, scope).schema;
    if (!isObjectSchema(base) || !isObjectSchema(after))
      throw cannotRead(heritage, scope, "is no object; extend an interface");
    return overlay(base, after);
  }, own);
}

function enumValues(
  node: TSEnumDeclaration,
  scope: Scope,
  file: Scope["file"],
): readonly (string | number)[] {
  let next = 0;
  return node.body.members.map(({ initializer, ...member }) => {
    const value = initializer === null ? next : literalOf(initializer)?.value;
    if (typeof value !== "string" && typeof value !== "number") {
      const at = { ...scope, file };
      throw cannotRead(member, at, "is a member whose value is worked out; write the value out");
    }
    next = typeof value === "number" ? value + 1 : Number.NaN;
    return value;
  });
}

/** `Color.Red`: one member of an enum. */
function enumMember(name: TSTypeName, scope: Scope): JsonSchema | undefined {
  if (name.type !== "TSQualifiedName") return undefined;
  for (const found of declarationsOf(name.left, scope)) {
    if (found.in !== "file" || found.node.type !== "TSEnumDeclaration") continue;
    const { members } = found.node.body;
    const index = members.findIndex(({ id }) => keyOf(id) === name.right.name);
    const value = enumValues(found.node, scope, found.file)[index];
    if (value !== undefined) return enumOf([value]);
  }
  return undefined;
}
