import type { Client } from "@modelcontextprotocol/sdk/client/index.js";

/** Calls a tool; fails where the SDK's client gives up coming back for it, which it otherwise tells nobody who waits. */
export async function callUnlessGivenUp(
  client: Client,
  ...call: Parameters<Client["callTool"]>
): Promise<{ readonly [name: string]: unknown }> {
  const gaveUp = new Promise<never>((_, reject) => {
    const onerror = (error: Error): void => {
      if (error.message.startsWith("Maximum reconnection attempts")) reject(error);
    };
    // The client has this one place for whoever listens.
    Object.assign(client, { onerror });
  });
  return Promise.race([client.callTool(...call), gaveUp]);
}
