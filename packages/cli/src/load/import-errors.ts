/** Errors of an import, as a sentence with its location in the source. */
import { isRecord } from "../is-record.ts";
import { type LoadError, loadErrorAt } from "./errors.ts";
import type { SourceLocation } from "./source-location.ts";
import { sourceLocation, withSources } from "./stack-traces.ts";

/** The error for a file whose import failed; `files` are those in which a location is looked for. */
export function importError(error: unknown, file: string, files: { has(path: string): boolean }): LoadError {
  if (!(error instanceof Error)) return loadErrorAt({ file }, `It threw ${String(error)}.`, { cause: error });
  const { location } = error as { readonly location?: unknown };
  // The hooks say where, and their messages are sentences.
  if (isLocation(location)) return loadErrorAt(location, error.message, { cause: error });
  const message = withSources(error.message).replace(/\.$/, "");
  const isSentence = error instanceof SyntaxError || error.name === "InvalidDefinition";
  const at = syntaxLocation(error.stack ?? "") ?? frameLocation(error.stack ?? "", files) ?? { file };
  return loadErrorAt(at, `${isSentence ? "" : `${error.name}: `}${message}.${hintFor(message)}`, {
    cause: error,
  });
}

const isLocation = (value: unknown): value is SourceLocation =>
  isRecord(value) && typeof value["file"] === "string";

function hintFor(message: string): string {
  const name = /does not provide an export named '(.+)'/.exec(message)?.[1];
  return name === undefined ? "" : ` Where ${name} is a type, write "import type" or "export type".`;
}

/** The stack of a syntax error begins with the file and line, the line itself, and a caret below it. */
function syntaxLocation(stack: string): SourceLocation | undefined {
  const [first = "", , carets = ""] = stack.split("\n");
  const [, url, line] = /^(\S.*?):(\d+)$/.exec(first) ?? [];
  return url === undefined
    ? undefined
    : sourceLocation(url, Number(line), Math.max(1, carets.indexOf("^") + 1));
}

/** The topmost frame that is in one of the files. */
function frameLocation(stack: string, files: { has(path: string): boolean }): SourceLocation | undefined {
  for (const [, url = "", line, column] of stack.matchAll(/^ {4}at (?:.*\()?(\S.*?):(\d+):(\d+)\)?$/gm)) {
    const location = sourceLocation(url, Number(line), Number(column));
    if (files.has(location.file)) return location;
  }
  return undefined;
}
