/** `photon new`: creates a tool and its test. */
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { command, type Command } from "../command.ts";
import { commonFlags } from "../flags/flags.ts";
import { packageRoot, write } from "../io.ts";
import { shellQuoted } from "../serve/client-config.ts";
import { UsageError } from "../errors.ts";

export const newTool: Command = command({
  name: "photon new",
  usage: ["photon new <name> [flags]"],
  description: "Creates <name>.photon.ts, a tool that asks, and <name>.test.ts, its test.",
  flags: { Flags: commonFlags },
  examples: ["photon new greet"],
  async run({ positionals, rest }, { cwd, output, errorOutput }) {
    const name = nameIn([...positionals, ...rest]);
    const files = [
      { file: `${name}.photon.ts`, text: toolFile(name, identifierFor(name)) },
      { file: `${name}.test.ts`, text: testFile(name, identifierFor(name)) },
    ];
    const taken = files.find(({ file }) => existsSync(join(cwd, file)));
    if (taken !== undefined) throw new UsageError(`${taken.file} is there already; choose another name.`);
    // `wx`: a file that has appeared meanwhile is not overwritten either.
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

/** The packages as arguments of npm install. From a clone, those of Photon are installed from there: no registry has them yet. */
function installable(missing: readonly string[], cwd: string): readonly string[] {
  const here = fileURLToPath(packageRoot);
  if (here.split(sep).includes("node_modules")) return missing;
  const packages = relative(cwd, join(here, ".."));
  // Without a dot, npm takes a folder for the name of a repository.
  const folder = packages.startsWith(".") ? packages : `./${packages}`;
  // The command too: npx takes another package of its name from the registry.
  const own = ["core", "cli"].map((name) => shellQuoted(`${folder}/${name}`));
  return missing.flatMap((name) => (name === "@photon/core" ? own : name));
}

/** Names that the two files import, and names that a module cannot declare. */
const TAKEN: ReadonlySet<string> = new Set([
  "ask",
  "emit",
  "expect",
  "it",
  "script",
  "tool",
  "await",
  "eval",
  "arguments",
]);

/** The export of a tool of this name: "send-invoice" is `sendInvoice`. */
function identifierFor(name: string): string {
  const camel = name.replaceAll(/[-_]+([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
  return isFree(camel) ? camel : `${camel}Tool`;
}

function isFree(identifier: string): boolean {
  if (TAKEN.has(identifier)) return false;
  try {
    // Compiled, and never run: V8 knows the reserved words.
    return new Script(`"use strict"; let ${identifier};`) instanceof Script;
  } catch {
    return false;
  }
}

function toolFile(name: string, identifier: string): string {
  // A tool has the name of its export, unless it says otherwise.
  const named = identifier === name ? "" : `  name: ${JSON.stringify(name)},\n`;
  return `import { ask, emit, tool } from "@photon/core";

export const ${identifier} = tool({
${named}  description: "Writes a greeting, after asking whom it is for",
  input: {
    type: "object",
    properties: { greeting: { type: "string", description: "the first word", default: "Hello" } },
  },
  async *run({ greeting = "Hello" }) {
    const name = yield* ask.text("Who is it for?", { id: "name", maxLength: 80 });
    yield emit.status(\`Writing to \${name}\`);
    const text = \`\${greeting}, \${name}!\`;
    const loud = yield* ask.confirm(\`Shout "\${text}"?\`, { id: "loud" });
    return loud ? text.toUpperCase() : text;
  },
});
`;
}

function testFile(name: string, identifier: string): string {
  return `import { script } from "@photon/core/testing";
import { expect, it } from "vitest";
import { ${identifier} } from "./${name}.photon.ts";

it("greets by name", async () => {
  const host = script({ name: "Ada", loud: false });

  expect(await host.run(${identifier}, {})).toBe("Hello, Ada!");
});

it("shouts only after a yes", async () => {
  const host = script({ name: "Ada", loud: true });

  expect(await host.run(${identifier}, { greeting: "Welcome" })).toBe("WELCOME, ADA!");
});
`;
}
