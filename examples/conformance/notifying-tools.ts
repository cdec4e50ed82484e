/** Tools that send notifications while they run: logs and progress. */
import { setTimeout as pause } from "node:timers/promises";
import { emit, tool } from "@photon/core";

/** A pause between notifications, long enough for each to arrive alone. */
const PAUSE_MS = 50;

const withLogging = tool({
  name: "test_tool_with_logging",
  description: "Logs three times",
  async *run(_, { signal }) {
    yield emit.log("info", "Tool execution started");
    await pause(PAUSE_MS, undefined, { signal });
    yield emit.log("info", "Tool processing data");
    await pause(PAUSE_MS, undefined, { signal });
    yield emit.log("info", "Tool execution completed");
    return "Logged three times.";
  },
});

const withProgress = tool({
  name: "test_tool_with_progress",
  description: "Reports its progress three times",
  async *run(_, { signal }) {
    yield emit.progress(0);
    await pause(PAUSE_MS, undefined, { signal });
    yield emit.progress(0.5);
    await pause(PAUSE_MS, undefined, { signal });
    yield emit.progress(1);
    return "Reported three times.";
  },
});

export const notifyingTools = [withLogging, withProgress];
