import { homedir } from "node:os";
import { join } from "node:path";

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
