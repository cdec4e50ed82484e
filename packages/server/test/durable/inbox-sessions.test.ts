/** The inbox and a client on a session, which both may answer: the first does (rows E4, E6). */
import { randomBytes } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { ask, step, tool } from "@photon/core";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, openInbox } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";

it(
  verifies(
    ["E4", "E6"],
    "settles the call of a client that is still connected, once, whichever process hears of it",
  ),
  async () => {
    const keys = [randomBytes(32).toString("base64")];
    const store = memoryStore();
    const done: string[] = [];
    const greet = tool({
      name: "greet",
      durable: true,
      async *run() {
        const name = yield* ask.text("Name?", { id: "name" });
        yield* step("note", () => void done.push(name));
        const sure = yield* ask.confirm("Sure?", { id: "sure" });
        return `Hello ${name}: ${sure}`;
      },
    });
    const [first] = [1, 2, 3].map(() => {
      const server = createServer({ tools: [greet], keys, store, lease: "200ms", report() {} });
      onTestFinished(() => server.close());
      return server;
    });
    const { url } = (await first?.listen()) ?? { url: "" };
    const asked = new Map<string, () => void>();
    const isAsked = (message: string): Promise<void> =>
      new Promise((resolve) => {
        asked.set(message, resolve);
      });
    const client = new Client({ name: "waits", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.get(params.message)?.();
      return new Promise<ElicitResult>(() => {});
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    onTestFinished(() => client.close());
    const name = isAsked("Name?");
    const sure = isAsked("Sure?");
    const calling = client.callTool({ name: "greet", arguments: {} });
    await name;
    const inbox = openInbox({ store, keys });
    const [waiting] = (await inbox.list()).runs;

    await inbox.answer(waiting?.run ?? "", "name", { action: "accept", value: "Ada" });
    await sure;
    await inbox.answer(waiting?.run ?? "", "sure", { action: "accept", value: true });

    expect(await calling).toMatchObject({ content: [{ type: "text", text: "Hello Ada: true" }] });
    expect(done).toEqual(["Ada"]);
    expect(await inbox.result(waiting?.run ?? "")).toMatchObject({ tool: "greet" });
  },
);
