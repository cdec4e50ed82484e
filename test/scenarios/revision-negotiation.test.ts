/** The client of version 2 of the SDK speaks sessions and 2026-07-28, and can find out what the server speaks. */
import { createServer, type Revision } from "@photon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptValue } from "../clients/answers.ts";
import { httpV2, webSocket, type Connection, type TransportV2 } from "../clients/connections.ts";
import { formsOnly } from "../clients/sdk-client.ts";
import { SdkV2Client, type SdkV2ClientOptions } from "../clients/sdk-v2-client.ts";
import { stdioV2 } from "../clients/stdio-connections.ts";
import { verifies } from "../requirements.ts";
import { program } from "./stdio.ts";
import { createDefinitions } from "./tools.mjs";

/** The URL of a server that speaks no newer revision. */
async function listen(maxRevision: Revision): Promise<string> {
  const server = createServer({ maxRevision, ...createDefinitions({ log() {}, replace() {} }) });
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  return url;
}

const transports: readonly (readonly [string, (newest: Revision) => Promise<Connection<TransportV2>>])[] = [
  ["Streamable HTTP", async (newest) => httpV2(await listen(newest))],
  ["WebSocket", async (newest) => webSocket(await listen(newest))],
  ["stdio", (newest) => Promise.resolve(stdioV2([program, newest]))],
];

describe.each(transports)("a client of both protocols over %s", { timeout: 20_000 }, (_, open) => {
  async function create(newest: Revision, mode: NonNullable<SdkV2ClientOptions["mode"]>) {
    const client = new SdkV2Client(await open(newest), {
      capabilities: formsOnly,
      answer: acceptValue(3),
      mode,
    });
    onTestFinished(() => client.close());
    return client;
  }

  it.each([
    ["a session without discovery", "legacy", "2026-07-28", "2025-11-25"],
    ["2026-07-28 if the server has it", "auto", "2026-07-28", "2026-07-28"],
    ["a session if the server has nothing newer", "auto", "2025-11-25", "2025-11-25"],
  ] as const)(verifies(["C2", "C8"], "uses %s, and is asked"), async (__, mode, newest, revision) => {
    const client = await create(newest, mode);

    await client.connect();

    await expect(client.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
    expect(client.revision).toBe(revision);
  });

  it(
    verifies(["C2", "C8"], "does not connect if it accepts only a revision that the server lacks"),
    async () => {
      const client = await create("2025-11-25", { pin: "2026-07-28" });

      await expect(client.connect()).rejects.toMatchObject({ code: "ERA_NEGOTIATION_FAILED" });
    },
  );
});
