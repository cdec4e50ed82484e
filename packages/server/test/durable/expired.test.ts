/** Questions whose time is over while nobody is there: their runs are told so, and go on (rows E2, E6). */
import { randomBytes } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { ask, tool, type Tool } from "@photon/core";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import {
  createServer,
  openInbox,
  type AuditEntry,
  type PhotonServer,
  type ServerOptions,
} from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { serveStateless } from "../wire/servers.ts";
import { questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { movable } from "../wire/movable-clock.ts";
import { watchLooks } from "./watch-looks.ts";

const keys = [randomBytes(32).toString("base64")];
const HOUR = 3_600_000;

/** Asks whether it may, within an hour; then for a reason, within seven days. */
const release = (): Tool<never> =>
  tool({
    name: "release",
    durable: true,
    async *run() {
      const may = ask.text("May I?", { id: "may", timeout: "1h", fallback: { timeout: "nobody said" } });
      const said = yield* may;
      const why = yield* ask.text("Why?", { id: "why" });
      return `${said}, ${why}`;
    },
  });

function server(options: ServerOptions): PhotonServer {
  const made = createServer({ keys, lease: "200ms", report() {}, ...options });
  onTestFinished(() => made.close());
  return made;
}

it(
  verifies(
    ["E2", "E6"],
    "a run goes on with its fallback in another process, long after its question expired",
  ),
  async () => {
    const clock = movable();
    const store = memoryStore(clock);
    const options = { tools: [release()], keys, store, clock };
    const { client, server: first } = await serveStateless({ ...options, lease: "200ms" });
    await client.call("release");
    const [waiting] = (await first.inbox.list()).runs;
    await first.close();
    clock.ahead = 3 * HOUR;

    const { inbox } = server(options);
    const run = waiting?.run ?? "";

    expect(await inbox.wait(run)).toMatchObject({ questions: [{ key: "why" }] });
    await inbox.answer(run, "why", { action: "accept", value: "it was late" });
    expect(await inbox.wait(run)).toMatchObject({
      result: { content: [{ text: "nobody said, it was late" }] },
    });
  },
);

it("a client that comes back too late is given what its run asks now", async () => {
  const clock = movable();
  const { client, server: own } = await serveStateless({
    tools: [release()],
    keys,
    store: memoryStore(clock),
    clock,
    lease: "20ms",
  });
  const asked = await client.call("release");
  const [waiting] = (await own.inbox.list()).runs;
  clock.ahead = HOUR + 1000;
  expect(await own.inbox.wait(waiting?.run ?? "")).toMatchObject({ questions: [{ key: "why" }] });

  const late = await client.accept(asked, { may: "yes" });

  expect(Object.keys(questionsIn(late))).toEqual(["why"]);
  expect(textOf((await client.accept(late, { why: "because" })).answer)).toBe("nobody said, because");
});

it("one whose question nobody softens ends with that it was not answered in time, and the audit says so", async () => {
  const clock = movable();
  const store = memoryStore(clock);
  const audited: AuditEntry[] = [];
  const strict = tool({
    name: "strict",
    durable: true,
    async *run() {
      return yield* ask.text("May I?", { id: "may", timeout: "1h" });
    },
  });
  const options = { tools: [strict], keys, store, clock };
  const { client, server: first } = await serveStateless({ ...options, lease: "200ms" });
  await client.call("strict");
  const [waiting] = (await first.inbox.list()).runs;
  await first.close();
  clock.ahead = HOUR + 1000;

  const { inbox } = server({ ...options, audit: (entry) => void audited.push(entry) });

  expect(await inbox.wait(waiting?.run ?? "")).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringContaining("in time") }] },
  });
  expect(audited).toMatchObject([{ tool: "strict", question: { key: "may" }, action: "timeout" }]);
});

it("is not in the inbox any more, whether or not a process has gone on with it", async () => {
  const clock = movable();
  const store = memoryStore(clock);
  const { client, server: first } = await serveStateless({ tools: [release()], keys, store, clock });
  await client.call("release");
  const [waiting] = (await first.inbox.list()).runs;
  await first.close();
  const inbox = openInbox({ store, keys, clock });
  expect((await inbox.list()).runs).toHaveLength(1);

  clock.ahead = HOUR + 1000;

  expect((await inbox.list()).runs).toEqual([]);
  expect(await inbox.find(waiting?.run ?? "")).toBeUndefined();
});

it("is left to the process that has its client, whose clock says otherwise", async () => {
  const store = memoryStore();
  const shown: ((said: ElicitResult) => void)[] = [];
  const watched = watchLooks(store);
  const first = server({ tools: [release()], store });
  const { url } = await first.listen({ port: 0 });
  const client = new Client({ name: "waits", version: "1" }, { capabilities: { elicitation: {} } });
  onTestFinished(() => client.close());
  const isShown = new Promise<void>((resolve) => {
    client.setRequestHandler(ElicitRequestSchema, () => {
      resolve();
      return new Promise((answer) => {
        shown.push(answer);
      });
    });
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const calling = client.callTool({ name: "release" });
  await isShown;

  const clock = movable();
  clock.ahead = 2 * HOUR;
  const looking = watched.look();
  server({ tools: [release()], store: watched.store, clock });
  await looking;
  shown[0]?.({ action: "accept", content: { value: "yes" } });
  await expect.poll(() => shown.length).toBe(2);
  shown[1]?.({ action: "accept", content: { value: "because" } });

  expect(await calling).toMatchObject({ content: [{ text: "yes, because" }] });
});

it("has all questions that were asked together told so at once, and none gets its time anew", async () => {
  const clock = movable();
  const both = tool({
    name: "both",
    durable: true,
    async *run() {
      const { one, two } = yield* ask.all({
        one: ask.text("One?", { timeout: "1h", fallback: { timeout: "first" } }),
        two: ask.text("Two?", { timeout: "1h", fallback: { timeout: "second" } }),
      });
      return `${one} ${two}`;
    },
  });
  const options = { tools: [both], keys, store: memoryStore(clock), clock, lease: "20ms" } as const;
  const { client, server: own } = await serveStateless(options);
  await client.call("both");
  const [waiting] = (await own.inbox.list()).runs;

  clock.ahead = HOUR + 1000;

  expect(await own.inbox.wait(waiting?.run ?? "")).toMatchObject({
    result: { content: [{ text: "first second" }] },
  });
});

it("is told so, and not ended, where its process has stood still until nobody could come back for it", async () => {
  const clock = countingClock();
  const may = tool({
    name: "may",
    durable: true,
    async *run() {
      return yield* ask.text("May I?", { timeout: "1h", fallback: { timeout: "nobody said" } });
    },
  });
  const { client, server: own } = await serveStateless({
    tools: [may],
    keys,
    store: memoryStore(clock),
    clock,
  });
  await client.call("may");
  const [waiting] = (await own.inbox.list()).runs;

  clock.leap(3 * HOUR);

  expect(await own.inbox.wait(waiting?.run ?? "")).toMatchObject({
    result: { content: [{ text: "nobody said" }] },
  });
});
