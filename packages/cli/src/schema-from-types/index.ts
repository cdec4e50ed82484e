/** Reads the signatures of generator functions and classes from their source. Only loaded for files that have such tools. */
import type { FileSnapshot } from "../load/snapshot.ts";
import { readTools } from "./read-tools.ts";
import type { Signature } from "./signature.ts";
import { Sources } from "./sources.ts";

export interface Requested {
  /** Exports that are generators. */
  readonly functions: readonly string[];
  /** Methods of the default class. */
  readonly methods: readonly string[];
}

export interface ToolSignatures {
  readonly functions: Readonly<Record<string, Signature>>;
  /** Without private and protected methods. */
  readonly methods: Readonly<Record<string, Signature>>;
}

export const schemaFromTypes = (path: string, requested: Requested, snapshot: FileSnapshot): ToolSignatures =>
  readTools(path, requested, new Sources(snapshot));
