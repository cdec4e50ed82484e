/** Tools that tell what they are doing while they do it. */
import { setTimeout as pause } from "node:timers/promises";
import { emit, tool } from "@photon/core";

/** What stands for work: long enough for what was told to arrive one by one. */
const WORK = 50;

const withLogging = tool({
  name: "test_tool_with_logging",
  description: "Logs three times",
  async *run(_, { signal }) {
    yield emit.log("info", "Tool execution started");
    await pause(WORK, undefined, { signal });
    yield emit.log("info", "Tool processing data");
    await pause(WORK, undefined, { signal });
    yield emit.log("info", "Tool execution completed");
    return "Logged three times.";
  },
});

const withProgress = tool({
  name: "test_tool_with_progress",
  description: "Reports its progress three times",
  async *run(_, { signal }) {
    yield emit.progress(0);
    await pause(WORK, undefined, { signal });
    yield emit.progress(0.5);
    await pause(WORK, undefined, { signal });
    yield emit.progress(1);
    return "Done, and said so on the way.";
  },
});

export const tellingTools = [withLogging, withProgress];
