/** The methods of a class and of those it extends, as far as their source can be had. */
import type { Class, Function as FunctionNode, MethodDefinition } from "oxc-parser";
import { findDeclarations } from "./find-declarations.ts";
import { keyOf } from "./literals.ts";
import type { SourceFile, Sources } from "./sources.ts";

export interface Method {
  readonly name: string;
  readonly node: FunctionNode;
  readonly definition: MethodDefinition;
  readonly file: SourceFile;
  /** Not `private`, not `protected`. */
  readonly isPublic: boolean;
}

/** Every method with a body, the nearest of each name. */
export function methodsOf(node: Class, file: SourceFile, sources: Sources): readonly Method[] {
  const own = node.body.body.flatMap((element): readonly Method[] => {
    if (element.type !== "MethodDefinition" || element.kind !== "method" || element.static) return [];
    const name = element.computed ? undefined : keyOf(element.key);
    // An overload has none.
    if (name === undefined || element.value.body === null) return [];
    const isPublic = element.accessibility !== "private" && element.accessibility !== "protected";
    return [{ name, node: element.value, definition: element, file, isPublic }];
  });
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...inherited(node, file, sources).filter(({ name }) => !names.has(name))];
}

function inherited({ superClass }: Class, file: SourceFile, sources: Sources): readonly Method[] {
  if (superClass?.type !== "Identifier") return [];
  for (const found of findDeclarations(superClass.name, file, sources)) {
    if (found.in !== "file") continue;
    if (found.node.type === "ClassDeclaration" || found.node.type === "ClassExpression")
      return methodsOf(found.node, found.file, sources);
  }
  return [];
}
