import { emit, tool } from "@photon/core";

/** The smallest tool: it reports a status and returns a text. */
export const hello = tool({
  name: "hello",
  description: "Greets a person by name",
  input: {
    type: "object",
    properties: { name: { type: "string", default: "world" } },
  },
  async *run({ name }) {
    yield emit.status("Preparing the greeting");
    return `Hello, ${name}!`;
  },
});
