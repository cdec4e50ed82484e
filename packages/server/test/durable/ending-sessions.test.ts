/** Sessions that any process goes on with: where one has no room for them, and where nobody can note that they are over. */
import { randomBytes } from "node:crypto";
import { ask, emit, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openStore, type ServerOptions, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { startRedis } from "../stores/redis-server.ts";
import { begin, list, send, sessionIn } from "../wire/session-requests.ts";
import { listening, transports } from "../wire/servers.ts";
import { callOf, textOf } from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];

const serving = (store: Store, more: ServerOptions = {}): ReturnType<typeof listening> =>
  listening({ keys, store, report() {}, ...more });

describe("a process that has reached its limit of sessions", () => {
  it(
    verifies("E4", "says so to those of another as to new ones, and takes them once it has room"),
    async () => {
      const store = memoryStore();
      const first = await serving(store);
      const full = await serving(store, { limits: { sessions: 1 } });
      const own = sessionIn(await begin(full.url));
      const others = sessionIn(await begin(first.url));

      const refused = await Promise.all([
        begin(full.url),
        list(full.url, others),
        send(full.url, "GET", others),
        send(full.url, "DELETE", others),
      ]);

      for (const { status, headers, error } of refused) {
        expect(status).toBe(503);
        expect(headers.get("retry-after")).toBe("10");
        expect(error).toEqual({
          code: -31_001,
          message: expect.stringContaining("reached its limit of sessions"),
        });
      }
      expect((await list(full.url, `${others}x`)).status).toBe(404);
      expect((await send(full.url, "DELETE", own)).status).toBe(204);
      expect((await list(full.url, others)).status).toBe(200);
    },
  );
});

/** Waits for somebody, and says when it does no more. */
function waiting(closed: () => void): Tool<never> {
  return tool({
    name: "waiting",
    durable: true,
    async *run() {
      try {
        return yield* ask.text("Name?");
      } finally {
        closed();
      }
    },
  });
}

describe("a session whose end nobody can note", { timeout: 60_000 }, () => {
  it(
    verifies(["E2", "E4"], "goes on, its client is told so, and ends it once the store is back"),
    async () => {
      const redis = await startRedis("--appendonly", "yes");
      onTestFinished(() => redis.end());
      const store = await openStore(redis.address);
      onTestFinished(() => store.close());
      let isClosed = false;
      const { url, server } = await serving(store, { tools: [waiting(() => void (isClosed = true))] });
      const session = sessionIn(await begin(url));
      await send(url, "POST", session, { id: 2, method: "tools/call", params: { name: "waiting" } });
      await expect.poll(async () => (await server.inbox.list()).runs.length).toBe(1);
      await redis.stop();

      const refused = await send(url, "DELETE", session);

      expect(refused.status).toBe(503);
      expect(refused.error.message).toMatch(/cannot be used: .* it may be sent again\.$/s);
      expect({ isClosed, sessions: server.sessions }).toEqual({ isClosed: false, sessions: 1 });
      await redis.start();
      await expect.poll(async () => (await send(url, "DELETE", session)).status).toBe(204);
      expect({ isClosed, sessions: server.sessions }).toEqual({ isClosed: true, sessions: 0 });
      expect((await list(url, session)).status).toBe(404);
      expect((await server.inbox.list()).runs).toEqual([]);
    },
  );

  it("is told so too where it was begun in another process, and nobody can look it up", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.end());
    const [one, other] = await Promise.all([openStore(redis.address), openStore(redis.address)]);
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
    const [first, second] = await Promise.all([serving(one), serving(other)]);
    const session = sessionIn(await begin(first.url));
    await redis.stop();

    const refused = await Promise.all([
      send(second.url, "DELETE", session),
      list(second.url, session),
      send(second.url, "GET", session),
    ]);

    for (const { status, error } of refused) {
      expect(status).toBe(503);
      expect(error.message).toMatch(/cannot be used: .* it may be sent again\.$/s);
    }
    await redis.start();
    // Each process connects to Redis again in its own time, a second or two later.
    const patient = { timeout: 10_000 };
    await expect.poll(async () => (await send(second.url, "DELETE", session)).status, patient).toBe(204);
    await expect.poll(async () => (await list(first.url, session)).status, patient).toBe(404);
  });
});

it.each(Object.entries(transports))(
  verifies(
    "E4",
    "a server that closes answers a durable call over %s whose run has ended, while its progress is being read",
  ),
  async (_, set) => {
    const quick = tool({
      name: "quick",
      durable: true,
      async *run() {
        yield emit.progress(0.5, "half");
        return "done";
      },
    });
    const { server, connect } = await set({ tools: [quick], store: memoryStore(), keys, report() {} });
    const client = await connect();
    await client.initialize();
    const id = client.begin("tools/call", callOf("quick", {}, { progressToken: 1 }));
    // Over Streamable HTTP the result comes at once; elsewhere this client does not answer the ping before it.
    await client.messages
      .next(({ method, result }) => method === "ping" || result?.["content"] !== undefined)
      .then((received) => received.method === undefined && client.messages.push(received));

    await server.close();

    expect(textOf(await client.answerTo(id))).toBe("done");
  },
);
