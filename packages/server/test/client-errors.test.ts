import { inspect } from "node:util";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { transports } from "./wire/servers.ts";

const asking = tool({
  name: "asking",
  async *run() {
    return (yield* ask.outcome(ask.text("Who?"))).action;
  },
});

describe("an error that a client answers with", () => {
  it.each(["websocket", "stdio"] as const)("is cut before it is reported: %s", async (transport) => {
    const reports: string[] = [];
    const { connect } = await transports[transport]({
      tools: [asking],
      report: (error) => void reports.push(inspect(error)),
    });
    const client = await connect();
    await client.initialize();
    // After -32601 the client is not asked again.
    for (const code of [-32000, -32602, -32601]) {
      const call = client.callTool("asking");
      const { id } = await client.receive();
      const message = `No. ${"x".repeat(1_000_000)}`;
      await client.send({ jsonrpc: "2.0", id, error: { code, message, data: message } });
      await call;
    }

    const log = reports.join("\n");
    expect(log).toContain("No. xxx");
    expect(log.length).toBeLessThan(20_000);
  });
});
