import { setTimeout } from "node:timers/promises";
import { tool, type Tool } from "@photon/core";

/** Closes the connection of its own call. The client reconnects, and receives the result. */
export function reconnectionTool(disconnect: (runId: string) => void): Tool<never> {
  return tool({
    name: "test_reconnection",
    description: "Closes its own connection, and returns after the client has had time to reconnect",
    async *run(_, { runId, signal }) {
      disconnect(runId);
      await setTimeout(100, undefined, { signal });
      return "The connection was closed, and the result arrived after reconnecting.";
    },
  });
}
