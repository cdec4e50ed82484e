/** A client that knows what a tool gives takes no words for it, unless they are an error: the official ones check. */
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ask, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { answerPage } from "../secrets/person.ts";
import { listening } from "../wire/servers.ts";

const INFO = { name: "official", version: "1" };

/** A client of the official SDK that shows no questions. */
async function onSession(url: URL): Promise<Client> {
  const client = new Client(INFO, { capabilities: {} });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

async function alone(url: URL): Promise<StatelessClient> {
  const client = new StatelessClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new ModernTransport(url));
  return client;
}

const price = tool({
  name: "price",
  output: {
    type: "object",
    properties: { nights: { type: "integer" } },
    required: ["nights"],
  },
  async *run() {
    return { nights: yield* ask.number("How many nights?", { integer: true }) };
  },
});

describe.each([
  ["2025-11-25", onSession],
  ["2026-07-28", alone],
] as const)("a client of %s that knows a tool's output", (_, arrive) => {
  it.each(["page", "relay"] as const)(
    verifies(["A8", "B4"], "hears where the call was handed over, and is given the output at its end: %s"),
    async (whenUnsupported) => {
      const { url } = await listening({ tools: [price], whenUnsupported });
      const client = await arrive(new URL(`${url}/mcp`));
      onTestFinished(() => client.close());
      await client.listTools();

      const handed = await client.callTool({ name: "price", arguments: {} });
      const words = JSON.stringify(handed.content);
      const [link = ""] = /http[^\s"\\]+\/ask\/[^\s"\\]+/.exec(words) ?? [];
      const [, run] = /\{\\"run\\":\\"([^"\\]+)/.exec(words) ?? [];
      if (whenUnsupported === "page") await answerPage(link, "3");
      const done = await client.callTool(
        whenUnsupported === "page"
          ? { name: "photon_continue", arguments: { run } }
          : { name: "photon_answer", arguments: { run, answer: 3 } },
      );

      expect(words).toContain("How many nights?");
      expect(done).toMatchObject({ structuredContent: { nights: 3 } });
      expect(done.isError).not.toBe(true);
    },
  );
});
