/** The two files that `photon new` writes. Pure. */
import { Script } from "node:vm";

/** What the two files import, or what a module cannot call anything. */
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

/** What a tool of this name is called in a program: "send-invoice" is `sendInvoice`. */
export function identifierFor(name: string): string {
  const camel = name.replaceAll(/[-_]+([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
  return isFree(camel) ? camel : `${camel}Tool`;
}

function isFree(identifier: string): boolean {
  if (TAKEN.has(identifier)) return false;
  try {
    // Compiled, and never run: the words of the language are known to the language.
    return new Script(`"use strict"; let ${identifier};`) instanceof Script;
  } catch {
    return false;
  }
}

export function toolFile(name: string, identifier: string): string {
  // A tool is named after its export, unless that cannot be.
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

export function testFile(name: string, identifier: string): string {
  return `import { script } from "@photon/core/testing";
import { expect, it } from "vitest";
import { ${identifier} } from "./${name}.photon.ts";

it("greets whoever it is told to", async () => {
  const host = script({ name: "Ada", loud: false });

  expect(await host.run(${identifier}, {})).toBe("Hello, Ada!");
});

it("shouts only after a yes", async () => {
  const host = script({ name: "Ada", loud: true });

  expect(await host.run(${identifier}, { greeting: "Welcome" })).toBe("WELCOME, ADA!");
});
`;
}
