/** `photon new`: writes a tool to begin with, and its test. */
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { command, type Command } from "../command.ts";
import { commonFlags } from "../flags/common-flags.ts";
import { packageRoot } from "../package-info.ts";
import { shellQuoted } from "../serve/client-config.ts";
import { UsageError } from "../errors.ts";
import { write } from "../io.ts";
import { identifierFor, testFile, toolFile } from "./new-files.ts";

export const newTool: Command = command({
  name: "photon new",
  usage: "<name>",
  description: "Writes <name>.photon.ts, a tool that asks, and <name>.test.ts, its test.",
  flags: commonFlags,
  examples: ["photon new greet"],
  async run({ words }, { cwd, output, errorOutput }) {
    const name = nameIn(words);
    const files = [
      { file: `${name}.photon.ts`, text: toolFile(name, identifierFor(name)) },
      { file: `${name}.test.ts`, text: testFile(name, identifierFor(name)) },
    ];
    const taken = files.find(({ file }) => existsSync(join(cwd, file)));
    if (taken !== undefined) throw new UsageError(`${taken.file} is there already; choose another name.`);
    // `wx`: whatever has appeared there meanwhile is not written over either.
    for (const { file, text } of files) writeFileSync(join(cwd, file), text, { flag: "wx" });
    await write(output, files.map(({ file }) => `${file}\n`).join(""));
    await write(errorOutput, nextSteps(name, cwd));
    return 0;
  },
});

function nameIn(words: readonly string[]): string {
  const [name, ...more] = words;
  if (name === undefined) throw new UsageError("photon new needs a name: photon new greet.");
  if (more.length > 0)
    throw new UsageError(`photon new takes one name; ${JSON.stringify(more[0])} is too much.`);
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is no name for a tool: begin with a letter, and use letters, digits, "-" and "_", 64 at most.`,
    );
  return name;
}

function nextSteps(name: string, cwd: string): string {
  const folders = createRequire(join(cwd, `${name}.test.ts`)).resolve.paths("vitest") ?? [];
  const missing = ["@photon/core", "vitest"].filter(
    (one) => !folders.some((folder) => existsSync(join(folder, one))),
  );
  const steps = [
    ...(missing.length === 0
      ? []
      : [[`npm install --save-dev ${installable(missing, cwd).join(" ")}`, "what the two files import"]]),
    [`photon run ${name}`, "try it here"],
    [`photon dev ${name}`, "serve it, and reload it when it changes"],
    [`npx vitest run ${name}.test.ts`, "run its test"],
  ];
  const width = Math.max(...steps.map(([typed = ""]) => typed.length));
  return ["Next:", ...steps.map(([typed = "", why]) => `  ${typed.padEnd(width)}  ${why}`), ""].join("\n");
}

/** What npm is to be given for packages. From a clone, Photon's own are installed from there: no registry has them yet. */
function installable(missing: readonly string[], cwd: string): readonly string[] {
  const here = fileURLToPath(packageRoot);
  if (here.split(sep).includes("node_modules")) return missing;
  const packages = relative(cwd, join(here, ".."));
  // Without a dot, npm would take a folder for the name of a repository.
  const folder = packages.startsWith(".") ? packages : `./${packages}`;
  // The command as well: npx takes another package of its name from the registry.
  const own = ["core", "cli"].map((name) => shellQuoted(`${folder}/${name}`));
  return missing.flatMap((name) => (name === "@photon/core" ? own : name));
}
