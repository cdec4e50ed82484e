/** Clients of the SDK's second generation speak both eras. What they find out about a server decides nothing for it. */
import { fileURLToPath } from "node:url";
import { Client, type VersionNegotiationOptions } from "@modelcontextprotocol/client";
import { createServer, type Revision } from "@photon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../requirements.ts";
import { Happenings } from "./happenings.ts";
import { dialModernHttp, dialModernWebSocket, type ModernDialled } from "./modern-dial.ts";
import { dialModernStdio } from "./modern-stdio.ts";
import { cast } from "./tools.mjs";

const program = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));

/** The address of a server that speaks no newer revision. */
async function listen(maxRevision: Revision): Promise<string> {
  const server = createServer({ maxRevision, ...cast({ tell() {}, replace() {} }) });
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  return url;
}

const ways: readonly (readonly [string, (newest: Revision) => Promise<ModernDialled>])[] = [
  ["Streamable HTTP", async (newest) => dialModernHttp(await listen(newest))],
  ["WebSocket", async (newest) => dialModernWebSocket(await listen(newest))],
  ["stdio", (newest) => Promise.resolve(dialModernStdio([program, newest], new Happenings()))],
];

/** A client that answers every question with three. */
function clientIn(mode: NonNullable<VersionNegotiationOptions["mode"]>): Client {
  const client = new Client(
    { name: "either", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { value: 3 } }));
  onTestFinished(() => client.close());
  return client;
}

describe.each(ways)("a client that speaks both eras, over %s", { timeout: 20_000 }, (_, dial) => {
  it.each([
    ["sessions where it looks for nothing else", "legacy", "2026-07-28", "2025-11-25"],
    ["the newest revision where the server has it", "auto", "2026-07-28", "2026-07-28"],
    ["sessions where the server has nothing newer", "auto", "2025-11-25", "2025-11-25"],
  ] as const)(verifies(["C2", "C8"], "speaks %s, and is asked"), async (__, mode, newest, spoken) => {
    const client = clientIn(mode);
    const { transport } = await dial(newest);

    await client.connect(transport);
    const { content } = await client.callTool({ name: "number", arguments: {} });

    expect(client.getNegotiatedProtocolVersion()).toBe(spoken);
    expect(content).toEqual([{ type: "text", text: '{"answer":3}' }]);
  });

  it(verifies(["C2", "C8"], "stays away where it wants what the server does not have"), async () => {
    const client = clientIn({ pin: "2026-07-28" });
    const { transport } = await dial("2025-11-25");

    await expect(client.connect(transport)).rejects.toMatchObject({ code: "ERA_NEGOTIATION_FAILED" });
  });
});
