/** What Node throws at an import, as a sentence with its place. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CannotLoad, cannotLoadAt, type Place } from "../cannot-load.ts";
import { sourceOf, withSources } from "./map-stacks.ts";

/** The error for a file whose import failed; `addresses` are those of the files a place is looked for in. */
export function cannotImport(
  error: unknown,
  file: string,
  addresses: ReadonlyMap<string, string>,
): CannotLoad {
  if (error instanceof CannotLoad) return error;
  if (!(error instanceof Error))
    return cannotLoadAt({ file }, `It threw ${String(error)}.`, { cause: error });
  const message = withSources(error.message).replace(/\.$/, "");
  const isSentence = error instanceof SyntaxError || error.name === "InvalidDefinition";
  const place = placeOf(error, addresses) ?? { file };
  return cannotLoadAt(place, `${isSentence ? "" : `${error.name}: `}${message}.${hintFor(message)}`, {
    cause: error,
  });
}

function hintFor(message: string): string {
  const name = /does not provide an export named '(.+)'/.exec(message)?.[1];
  return name === undefined ? "" : ` Where ${name} is a type, write "import type" or "export type".`;
}

function placeOf(error: Error, addresses: ReadonlyMap<string, string>): Place | undefined {
  const { stack = "" } = error;
  const place = syntaxPlace(stack) ?? framePlace(stack, addresses);
  if (place !== undefined || !(error instanceof SyntaxError)) return place;
  // Node does not say where; asked to check a file, it does.
  for (const address of [...addresses.values()].slice(0, MOST_CHECKED)) {
    const found = checkSyntax(address);
    if (found !== undefined) return found;
  }
  return undefined;
}

const MOST_CHECKED = 30;

function checkSyntax(address: string): Place | undefined {
  const { stderr } = spawnSync(process.execPath, ["--check", pathOf(address)], { encoding: "utf8" });
  return syntaxPlace(stderr, address);
}

/** A syntax error's stack begins with the place, the line and a caret below it. */
function syntaxPlace(stack: string, checked?: string): Place | undefined {
  const [first = "", , carets = ""] = stack.split("\n");
  const [, found = "", line] = /^(\S.*?):(\d+)$/.exec(first) ?? [];
  const address = checked ?? found;
  if (line === undefined) return undefined;
  const column = Math.max(1, carets.indexOf("^") + 1);
  return sourceOf(address, Number(line), column) ?? { file: pathOf(address), line: Number(line), column };
}

/** The topmost frame that is in one of the files. */
function framePlace(stack: string, own: ReadonlyMap<string, string>): Place | undefined {
  const frames = withSources(stack).matchAll(/^ {4}at (?:.*\()?(\S.*?):(\d+):(\d+)\)?$/gm);
  for (const [, at = "", line, column] of frames) {
    const file = pathOf(at);
    if (own.has(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

function pathOf(address: string): string {
  if (!address.startsWith("file:")) return address;
  return fileURLToPath(address.replace(/\?.*$/, ""));
}
