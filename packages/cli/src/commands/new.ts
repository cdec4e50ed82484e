/**
 * `photon new`: creates a tool and its test.
 *
 *   1. In a project (a folder with a package.json, or one below it) the two files are written to the current folder.
 *   2. Anywhere else they are written to a new folder, with the files that make it a project.
 *   3. Nothing that exists is overwritten.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { command, type Command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { commonFlags } from "../flags/flags.ts";
import { write } from "../io.ts";
import { commandLineFor, NPX, shellQuoted, type ShellEnvironment } from "../shell-command.ts";
import { projectFiles, toolFiles } from "./new-files.ts";
import { photonPackages } from "./photon-packages.ts";

export const newTool: Command = command({
  name: "photon new",
  usage: ["photon new <name> [flags]"],
  description: `Creates <name>.photon.ts, a tool that asks, and <name>.test.ts, its test. In a project (a folder with a
package.json, or one below it) it adds them to the current folder. Elsewhere it creates the folder <name>, and a
package.json and a tsconfig.json in it.`,
  flags: { Flags: commonFlags },
  examples: ["photon new greet"],
  async run({ positionals, rest }, io) {
    const name = nameIn([...positionals, ...rest], io);
    const isNewProject = !isInProject(io.cwd);
    const folder = isNewProject ? join(io.cwd, name) : io.cwd;
    const { dependencies, cloneToPack } = photonPackages(folder);
    const files = [...(isNewProject ? projectFiles(dependencies) : []), ...toolFiles(name)].map(
      ({ file, text }) => ({ path: join(folder, file), text }),
    );
    const existing = (isNewProject ? [folder] : files.map(({ path }) => path)).find((path) =>
      existsSync(path),
    );
    if (existing !== undefined)
      throw new UsageError(`${relative(io.cwd, existing)} is there already; choose another name.`);
    if (isNewProject) mkdirSync(folder);
    // `wx`: a file that has appeared meanwhile is not overwritten either.
    for (const { path, text } of files) writeFileSync(path, text, { flag: "wx" });
    await write(io.output, files.map(({ path }) => `${relative(io.cwd, path)}\n`).join(""));
    const packing =
      cloneToPack === undefined ? [] : [packingStep(shellQuoted(relative(io.cwd, cloneToPack) || "."))];
    const steps = isNewProject
      ? [...packing, ...stepsInNewProject(name)]
      : stepsInProject(name, io, dependencies, packing);
    await write(io.errorOutput, stepsText(steps));
    return 0;
  },
});

function nameIn(words: readonly string[], io: ShellEnvironment): string {
  const [name, ...more] = words;
  if (name === undefined)
    throw new UsageError(`photon new needs a name: ${commandLineFor("photon new greet", io)}.`);
  if (more.length > 0) throw new UsageError(`photon new takes one name; remove ${JSON.stringify(more[0])}.`);
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is no name for a tool: begin with a letter, and use letters, digits, "-" and "_", 64 at most.`,
    );
  return name;
}

/** As npm looks for the project of a folder. */
function isInProject(folder: string): boolean {
  if (existsSync(join(folder, "package.json"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInProject(parent);
}

type Step = readonly [typed: string, why: string];

const packingStep = (clone: string): Step => [
  `npm --prefix ${clone} run pack`,
  "make the tarballs of Photon, which are not on npm yet",
];

const stepsInNewProject = (name: string): readonly Step[] => [
  [`cd ${name}`, ""],
  ["npm install", ""],
  [`${NPX} run ${name}`, "try it here"],
  ["npm run dev", "serve it, and reload it when it changes"],
  ["npm test", "run its test"],
];

function stepsInProject(
  name: string,
  io: ShellEnvironment,
  dependencies: Readonly<Record<string, string>>,
  packing: readonly Step[],
): readonly Step[] {
  const folders = createRequire(join(io.cwd, `${name}.test.ts`)).resolve.paths("vitest") ?? [];
  const isInstalled = (one: string): boolean => folders.some((folder) => existsSync(join(folder, one)));
  const hasCore = isInstalled("@photon/core");
  const packages = Object.entries(dependencies).map(([one, from]) =>
    shellQuoted(from.startsWith("file:") ? from : one),
  );
  // With core, the command is installed as well.
  const typed = (line: string): string => (hasCore ? commandLineFor(`photon ${line}`, io) : `${NPX} ${line}`);
  return [
    ...(hasCore
      ? []
      : [
          ...packing,
          [`npm install ${packages.join(" ")}`, "what the tool imports, and the command"] as const,
        ]),
    ...(isInstalled("vitest") ? [] : [["npm install --save-dev vitest", "what its test imports"] as const]),
    [typed(`run ${name}`), "try it here"],
    [typed(`dev ${name}`), "serve it, and reload it when it changes"],
    [`npx vitest run ${name}.test.ts`, "run its test"],
  ];
}

/** Two columns. A line that is longer than the others has its comment, and pads no other. */
function stepsText(steps: readonly Step[]): string {
  const width = Math.max(...steps.map(([typed]) => (typed.length > MAX_COLUMN ? 0 : typed.length)));
  return ["Next:", ...steps.map(([typed, why]) => `  ${typed.padEnd(width)}  ${why}`.trimEnd()), ""].join(
    "\n",
  );
}

const MAX_COLUMN = 60;
