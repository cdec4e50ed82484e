/** Finds and refuses the decorators of a tool file that the compiler cannot translate. */
import type { Program } from "oxc-parser";
import { failure, locationAt } from "../sources/source-locations.ts";
import { listOf, nodesIn } from "./syntax-tree.ts";
import type { CompilerSettings } from "./tsconfig.ts";

/** Whether a file must be parsed for decorators: it has an "@" outside of comments that does not begin the name of a package. */
export const mayDecorate = (source: string): boolean =>
  /(?<!["'`\w])@[\w$(]/.test(source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, ""));

/** Where the first decorator of a file is. */
function findDecorator(program: Program): number | undefined {
  for (const node of nodesIn(program)) {
    const [decorator] = listOf(node["decorators"]);
    if (decorator !== undefined) return decorator.start;
  }
  return undefined;
}

/** Without `experimentalDecorators`, TypeScript means standard decorators, which neither Node nor the compiler has. */
export function refuseDecorators(
  path: string,
  text: string,
  program: Program,
  { file, problem = "" }: CompilerSettings,
): void {
  const at = findDecorator(program);
  if (at === undefined) return;
  throw failure(
    locationAt(path, text, at),
    `Standard decorators are not supported: for those of TypeScript, set "experimentalDecorators": true in ${file ?? "a tsconfig.json beside the file"}${problem}.`,
  );
}
