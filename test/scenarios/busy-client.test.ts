/** The SDK's client drops progress that it reads together with the response. */
import { fileURLToPath } from "node:url";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";

const server = fileURLToPath(new URL("../../packages/server/test/fixtures/serve-stdio.mjs", import.meta.url));

/** A client that reads progress and the response together, because its event loop is busy while both arrive. */
async function connectBusily(versionNegotiation?: ClientOptions["versionNegotiation"]): Promise<Client> {
  const client = new Client(
    { name: "busy", version: "1.0.0" },
    { ...(versionNegotiation && { versionNegotiation }) },
  );
  const transport = new StdioClientTransport({ command: process.execPath, args: [server], stderr: "ignore" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

/** Sends ten requests, each while nothing is read; returns how often they received progress. */
async function countProgress(send: (onprogress: () => void) => Promise<unknown>): Promise<number> {
  let received = 0;
  for (let request = 0; request < 10; request++) {
    const response = send(() => (received += 1));
    // The request is written by then.
    await new Promise(setImmediate);
    const until = performance.now() + 50;
    while (performance.now() < until);
    await response;
  }
  return received;
}

it(
  "a client whose event loop is busy receives all progress of a stateless call over stdio",
  { timeout: 20_000 },
  async () => {
    const client = await connectBusily({ mode: { pin: "2026-07-28" } });

    expect(await countProgress((onprogress) => client.callTool({ name: "loud" }, { onprogress }))).toBe(10);
  },
);

it(
  "a client whose event loop is busy receives all progress before the error of a prompt, on a session over stdio",
  { timeout: 20_000 },
  async () => {
    const client = await connectBusily();
    const failing = (onprogress: () => void): Promise<void> =>
      expect(client.getPrompt({ name: "broken" }, { onprogress })).rejects.toThrow("went wrong");

    expect(await countProgress(failing)).toBe(10);
  },
);
