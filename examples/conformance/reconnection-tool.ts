import { setTimeout } from "node:timers/promises";
import { tool, type Tool } from "@photon/core";

/** Ends its own connection in the middle of a call; its client comes back for the result. */
export function reconnectionTool(disconnect: (runId: string) => void): Tool<never> {
  return tool({
    name: "test_reconnection",
    description: "Ends its own connection, and returns once the client has had time to come back",
    async *run(_, { runId, signal }) {
      disconnect(runId);
      await setTimeout(100, undefined, { signal });
      return "The connection was ended, and the result came over another one.";
    },
  });
}
