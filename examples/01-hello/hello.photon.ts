import { emit, tool } from "@photon/core";

/** The smallest tool: it says what it is doing and returns a text. */
export const hello = tool({
  name: "hello",
  description: "Greets somebody",
  input: {
    type: "object",
    properties: { name: { type: "string", default: "world" } },
  },
  async *run({ name }) {
    yield emit.status("Looking for the right words");
    return `Hello, ${name}!`;
  },
});
