import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

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
  // Node runs what it finds there.
  if (isPrivateDirectory(folder)) node.enableCompileCache(join(folder, "compiled"));
}

/** The folder of this user's caches, where the platform has it. */
export function cacheFolder(
  env: { readonly [name: string]: string | undefined } = process.env,
  platform: string = process.platform,
): string {
  const given = env["XDG_CACHE_HOME"];
  // The specification wants a relative one ignored.
  if (given?.startsWith("/") === true) return join(given, "photon");
  if (platform === "win32")
    return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "photon", "Cache");
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "photon");
  return join(homedir(), ".cache", "photon");
}

/** Creates the folder; whether this user can write to it, and no other. */
function isPrivateDirectory(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (!isOwn) return false;
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
