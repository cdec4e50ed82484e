/** Tools for what each request of 2026-07-28 carries: the client's capabilities, its log level, its headers. */
import { ask, emit, sample, tool } from "@photon/core";
import { textIn } from "./text-in.ts";

const missingCapability = tool({
  name: "test_missing_capability",
  description: "Asks the client's model; a client without sampling gets an error before the tool runs",
  needs: ["sample"],
  async *run() {
    const { content } = yield* sample("Say hello", { maxTokens: 50 });
    return textIn(content);
  },
});

const streamingElicitation = tool({
  name: "test_streaming_elicitation",
  description: "Reports a status, then asks",
  needs: ["form"],
  async *run() {
    yield emit.status("Preparing the question");
    const name = yield* ask.text("What is your name?", { id: "name" });
    return `Hello, ${name}!`;
  },
});

const logging = tool({
  name: "test_logging_tool",
  description: "Logs a message, which is sent to clients that request a log level",
  async *run() {
    yield emit.log("info", "Working");
    return "Done.";
  },
});

const routed = tool({
  name: "test_header_parameter",
  description: "Takes a region, which the request also names in a header",
  input: {
    type: "object",
    properties: {
      region: { type: "string", description: "The region to work in", "x-mcp-header": "Region" },
    },
    required: ["region"],
  },
  async *run({ region }) {
    return `Done in ${region}.`;
  },
});

export const statelessTools = [missingCapability, streamingElicitation, logging, routed];
