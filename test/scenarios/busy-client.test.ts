/** The SDK's client drops progress that it reads together with the result of the call. */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";

const server = fileURLToPath(new URL("../../packages/server/test/fixtures/serve-stdio.mjs", import.meta.url));

it(
  "a client whose event loop is busy receives all progress of a stateless call over stdio",
  { timeout: 20_000 },
  async () => {
    const client = new Client(
      { name: "busy", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [server],
      stderr: "ignore",
    });
    onTestFinished(() => client.close());
    await client.connect(transport);
    let received = 0;

    for (let call = 0; call < 10; call++) {
      const result = client.callTool({ name: "loud" }, { onprogress: () => (received += 1) });
      // The request is written by then.
      await new Promise(setImmediate);
      const until = performance.now() + 50;
      while (performance.now() < until);
      await result;
    }

    expect(received).toBe(10);
  },
);
