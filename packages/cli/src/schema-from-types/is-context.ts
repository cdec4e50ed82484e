/** Which parameter is the run's context, and so no input. */
import type { ParamPattern, TSType } from "oxc-parser";
import { findDeclarations } from "./find-declarations.ts";
import { keyOf } from "./literals.ts";
import type { Scope } from "./scope.ts";

const PARTS: ReadonlySet<string | undefined> = new Set(["signal", "client", "runId"]);

/** Whether a parameter is the context: by its type, by its name, or by what it takes out of it. */
export function isContext(parameter: ParamPattern, type: TSType | undefined, scope: Scope): boolean {
  if (type !== undefined && !isAnything(type)) return isContextType(type, scope);
  if (parameter.type === "Identifier") return parameter.name === "context";
  if (parameter.type !== "ObjectPattern" || parameter.properties.length === 0) return false;
  return parameter.properties.every(
    (property) => property.type === "Property" && PARTS.has(keyOf(property.key)),
  );
}

const isAnything = ({ type }: TSType): boolean => type === "TSAnyKeyword" || type === "TSUnknownKeyword";

function isContextType(type: TSType, { file, sources }: Scope): boolean {
  if (type.type === "TSImportType")
    return type.source.value === "@photon/core" && nameIn(type.qualifier) === "Context";
  if (type.type !== "TSTypeReference") return false;
  const { typeName } = type;
  if (typeName.type === "Identifier")
    return findDeclarations(typeName.name, file, sources).some(
      (found) => found.in === "package" && found.specifier === "@photon/core" && found.name === "Context",
    );
  if (typeName.type !== "TSQualifiedName" || typeName.left.type !== "Identifier") return false;
  return (
    typeName.right.name === "Context" &&
    findDeclarations(typeName.left.name, file, sources).some(
      (found) => found.in === "package" && found.specifier === "@photon/core",
    )
  );
}

const nameIn = (node: object | null): unknown => (node !== null && "name" in node ? node.name : undefined);
