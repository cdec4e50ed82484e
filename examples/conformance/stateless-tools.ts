/** Tools that show what a request of 2026-07-28 says of itself: what its client can do, what it is told, its headers. */
import { ask, emit, sample, tool } from "@photon/core";
import { textIn } from "./text-in.ts";

const missingCapability = tool({
  name: "test_missing_capability",
  description: "Asks the client's model; a client that has none is told so before anything runs",
  needs: ["sample"],
  async *run() {
    const { content } = yield* sample("Say hello", { maxTokens: 50 });
    return textIn(content);
  },
});

const streamingElicitation = tool({
  name: "test_streaming_elicitation",
  description: "Tells what it is doing, then asks",
  needs: ["form"],
  async *run() {
    yield emit.status("Looking for a question");
    const name = yield* ask.text("What is your name?", { id: "name" });
    return `Hello, ${name}!`;
  },
});

const logging = tool({
  name: "test_logging_tool",
  description: "Logs, for clients that want to be logged to",
  async *run() {
    yield emit.log("info", "Doing what is to be done");
    return "Done.";
  },
});

const routed = tool({
  name: "test_header_parameter",
  description: "Takes a region, which the request names in a header too",
  input: {
    type: "object",
    properties: {
      region: { type: "string", description: "Where it is to be done", "x-mcp-header": "Region" },
    },
    required: ["region"],
  },
  async *run({ region }) {
    return `Done in ${region}.`;
  },
});

export const statelessTools = [missingCapability, streamingElicitation, logging, routed];
