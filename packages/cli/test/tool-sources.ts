/** Sources of tools, as people write them. */

/** A TypeScript tool that asks one thing. */
export const greeter = `import { ask, tool } from "@photon/core";

interface Manners { readonly greeting: string }
const manners: Manners = { greeting: "Hello" };

export const greet = tool({
  description: "Greets by name",
  async *run() {
    const name: string = yield* ask.text("Who are you?", { id: "name" });
    return \`\${manners.greeting}, \${name}!\`;
  },
});
`;

/** A tool of this name that gives back a text, without asking. */
export const says = (name: string, text: string): string => `import { tool } from "@photon/core";

export const ${name} = tool({
  description: ${JSON.stringify(text)},
  async *run() {
    return ${JSON.stringify(text)};
  },
});
`;

/** A tool that waits for an answer, and says on stderr when its body has begun and ended. */
export const waiter = `import { ask, tool } from "@photon/core";

export const wait = tool({
  async *run() {
    console.error("body: begun");
    try {
      return yield* ask.text("Well?");
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
      console.error("body: ended");
    }
  },
});
`;
