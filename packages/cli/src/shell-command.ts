/** Commands as a shell reads them, and the command photon as the user can type it where they are. */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandIO } from "./io.ts";
import { packageRoot } from "./io.ts";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** The path of the program that `photon` starts. */
export const program: string = fileURLToPath(new URL("bin/photon.js", packageRoot));

export const shellCommand = ({ command, args }: Launch): string =>
  [command, ...args].map(shellQuoted).join(" ");

/** A word as a shell reads it. */
export const shellQuoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Where a line is typed: a folder, and a shell with a PATH. */
export type ShellEnvironment = Pick<CommandIO, "cwd" | "env">;

/**
 * A line like "photon run greet" as the user can type it in this folder: every hint that is printed is spelled by this.
 *
 * `npx photon` only where npx finds this program in a folder `node_modules`: elsewhere it runs an unrelated package of the registry.
 */
export function commandLineFor(line: string, shell: ShellEnvironment): string {
  // Also after "--", where an example has the command of a server.
  return line.replaceAll(/(?<=^|-- )photon(?= )/g, () => photonCommand(shell));
}

function photonCommand({ cwd, env }: ShellEnvironment): string {
  if (isProgram(photonOnPath(env))) return "photon";
  if (isProgramOfNpx(cwd)) return NPX;
  const path = relative(cwd, program);
  return `node ${shellQuoted(path.length < program.length ? path : program)}`;
}

/** How the command is typed in a project that has the package. */
export const NPX = "npx photon";

/** The `photon` that a shell finds. What npm and npx add to the path of the processes they start is not on that of the user's shell. */
function photonOnPath({ PATH = "" }: ShellEnvironment["env"]): string | undefined {
  return PATH.split(delimiter)
    .filter((folder) => folder !== "" && !folder.endsWith(join("node_modules", ".bin")))
    .map((folder) => join(folder, "photon"))
    .find(isExecutable);
}

/** As npx looks for it: in this folder, and in those above. */
function isProgramOfNpx(folder: string): boolean {
  const modules = join(folder, "node_modules");
  // Package managers link the package; what is in `.bin` may be a script that starts it.
  if (existsSync(join(modules, ".bin", "photon")))
    return isProgram(join(modules, "@photon", "cli", "bin", "photon.js"));
  const parent = dirname(folder);
  return parent !== folder && isProgramOfNpx(parent);
}

function isProgram(path: string | undefined): boolean {
  return path !== undefined && existsSync(path) && realpathSync(path) === realpathSync(program);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
