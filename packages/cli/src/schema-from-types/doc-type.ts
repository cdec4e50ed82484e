/** Types in comments: `@param {string[]} cities`. They are TypeScript, with a few words of their own. */
import { parseSync, type TSType } from "oxc-parser";
import type { ParamDoc } from "./read-doc.ts";
import type { Read, Scope } from "./scope.ts";
import { refuse } from "./sources.ts";

const BEFORE = "type T=";

/** The type that a comment gives to a parameter; nothing where it gives none. */
export function readDocType({ type, isOptional }: ParamDoc, scope: Scope): Read | undefined {
  if (type === undefined) return undefined;
  if (type.text.trim() === "*") return { schema: {}, isOptional };
  const parsed = parseType(type.text, type.start);
  if (parsed === undefined) {
    const at = { start: type.start, end: type.start + type.text.length };
    throw refuse(scope.file, at, `The type {${type.text}} cannot be read; write it as in TypeScript`);
  }
  const read = scope.read(parsed, scope);
  return { schema: read.schema, isOptional: isOptional || read.isOptional };
}

/** What a comment's type is as a node, its offsets those of the file. */
export function parseType(text: string, start: number): TSType | undefined {
  // As long as what it replaces: `Array.<string>`, `...string`, `string=`.
  const plain = text
    .replaceAll(".<", " <")
    .replace(/^\s*\.{3}/, (dots) => dots.replaceAll(".", " "))
    .replace(/=\s*$/, (end) => end.replace("=", " "));
  // A comment opens with more letters than this.
  const padded = `${" ".repeat(Math.max(0, start - BEFORE.length))}${BEFORE}${plain}`;
  const { program, errors } = parseSync("comment.ts", padded, { preserveParens: false });
  const [statement] = program.body;
  if (errors.length > 0 || statement?.type !== "TSTypeAliasDeclaration") return undefined;
  return statement.typeAnnotation;
}
