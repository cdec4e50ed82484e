import type { JsonSchema } from "@photon/core";
import type { TSType, TSTypeParameterDeclaration } from "oxc-parser";
import type { SourceFile, Sources } from "./sources.ts";

/** Where a type is read: in a file, with what its type parameters stand for. */
export interface Scope {
  /** Reads a type within a scope; the parts of a type are read by it again. */
  readonly read: (type: TSType, scope: Scope) => Read;
  readonly sources: Sources;
  readonly file: SourceFile;
  readonly given: ReadonlyMap<string, { readonly type: TSType; readonly scope: Scope }>;
  /** The declarations that are being read: one that comes up again refers to itself. */
  readonly within: readonly object[];
}

/** A type as a schema. */
export interface Read {
  readonly schema: JsonSchema;
  /** `undefined` is among its values: what has it may be left out. */
  readonly isOptional: boolean;
}

/** The scope within a declaration: its file, and its type parameters bound to the arguments. */
export function enter(
  scope: Scope,
  file: SourceFile,
  declaration: object,
  parameters: TSTypeParameterDeclaration | null | undefined,
  args: readonly TSType[],
): Scope {
  const inner: Scope = { ...scope, file, within: [...scope.within, declaration] };
  const given = new Map(
    (parameters?.params ?? []).flatMap(({ name, default: otherwise }, index) => {
      const arg = args[index];
      if (arg !== undefined) return [[name.name, { type: arg, scope }] as const];
      return otherwise === null ? [] : [[name.name, { type: otherwise, scope: inner }] as const];
    }),
  );
  return { ...inner, given };
}
