/** The files that `photon new` writes. Pure, except that V8 is asked for its reserved words. */
import { Script } from "node:vm";

export interface NewFile {
  readonly file: string;
  readonly text: string;
}

/** A tool that asks, and its test. */
export function toolFiles(name: string): readonly NewFile[] {
  const identifier = identifierFor(name);
  return [
    { file: `${name}.photon.ts`, text: toolFile(name, identifier) },
    { file: `${name}.test.ts`, text: testFile(name, identifier) },
  ];
}

/** What makes a folder a project of its own. `packages` are those of Photon, each with where npm finds it. */
export const projectFiles = (packages: Readonly<Record<string, string>>): readonly NewFile[] => [
  { file: "package.json", text: json({ ...PROJECT, dependencies: packages, devDependencies: DEV_PACKAGES }) },
  { file: "tsconfig.json", text: json(TSCONFIG) },
];

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const PROJECT = {
  private: true,
  type: "module",
  scripts: {
    dev: "photon dev",
    start: "photon serve --transport=http",
    test: "vitest run",
    types: "tsc",
  },
};

/** The versions that this repository itself is tested with. */
const DEV_PACKAGES = { typescript: "^7.0.2", vitest: "^4.1.12" };

const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
};

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
