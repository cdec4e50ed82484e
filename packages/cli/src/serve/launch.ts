/** How a client starts this server by itself. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findToolFiles } from "../load/find-files.ts";
import { emptySnapshot } from "../load/snapshot.ts";
import { packageRoot } from "../package-info.ts";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

const program = fileURLToPath(new URL("bin/photon.js", packageRoot));

/** The command that serves the same tools, from whatever folder it is started in, and whatever is on its PATH. */
export function launchOf(paths: readonly string[], cwd: string, flags: readonly string[] = []): Launch {
  const files = paths.length === 0 ? [cwd] : paths.flatMap((path) => absolute(path, cwd));
  return { command: process.execPath, args: [program, "serve", ...files, ...flags] };
}

/** A bare name is where it is found; a file or a folder is itself. */
function absolute(path: string, cwd: string): readonly string[] {
  const exact = resolve(cwd, path);
  if (statSync(exact, { throwIfNoEntry: false }) !== undefined) return [exact];
  return findToolFiles([path], cwd, emptySnapshot()).map((found) => found.path);
}

/** A command as a shell reads it. */
export const commandLine = ({ command, args }: Launch): string => [command, ...args].map(quoted).join(" ");

/** A word as a shell reads it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
