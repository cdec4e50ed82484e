import nodeModule from "node:module";
import { join } from "node:path";
import { cacheFolder } from "./load/link/cache-folder.ts";
import { isOurs } from "./load/link/own-folder.ts";

/** What newer versions of Node have, and the types of the oldest that we run on have not. */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/**
 * Lets Node keep what V8 makes of our code, and of the tools', until the next start: a seventh of it.
 *
 * Since Node 22.8, which writes it down when it ends; before that, nothing is kept.
 */
export function keepCompiled(node: CompileCache = nodeModule as CompileCache): void {
  if (node.enableCompileCache === undefined) return;
  const folder = cacheFolder();
  // Where it is not ours alone, Node is not told to run what it finds there.
  if (isOurs(folder)) node.enableCompileCache(join(folder, "compiled"));
}
