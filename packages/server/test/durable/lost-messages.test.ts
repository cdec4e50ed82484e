/** Messages between processes that do not arrive, or arrive before the call that they concern has asked (rows E1, E4). */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer as createSocketServer, type Socket } from "node:net";
import { ask, step, tool } from "@photon/core";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, openInbox, openStore, type PhotonServer, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { startRedis } from "../stores/redis-server.ts";
import { overWebSocket } from "../../../../test/clients/carriers.ts";
import { type RawClient, textOf } from "../../../../test/clients/raw-client.ts";
import { Gate } from "../wire/gate.ts";
import { overrideStore } from "../stores/override-store.ts";

const keys = [randomBytes(32).toString("base64")];

/** The checks that a process makes every few leases do not run during a test. */
const LONG_LEASE = "10m";

/** A tool that asks twice, with a step between the questions, which adds to `done`. */
const order = (done: string[] = []) =>
  tool({
    name: "order",
    durable: true,
    async *run() {
      const name = yield* ask.text("Name?", { id: "name" });
      yield* step("note", () => void done.push(name));
      return `${name}: ${yield* ask.confirm("Sure?", { id: "sure" })}`;
    },
  });

/** A server that is closed when the test is over. */
function serve(options: Parameters<typeof createServer>[0]): PhotonServer {
  const server = createServer({ keys, report() {}, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A client on a session, whose call of a tool is under way. */
async function calling(server: PhotonServer, name: string) {
  const client: RawClient = await overWebSocket((await server.listen()).url);
  await client.initialize("2025-11-25", { elicitation: {} });
  return { client, call: client.begin("tools/call", { name, arguments: {} }) };
}

/** A store as a process sees it whose leases have expired: other processes take its runs over. */
const withoutLeases = (store: Store): Store => overrideStore(store, { lease: () => Promise.resolve(true) });

/** The same, for a process whose subscription is lost as well. */
const disconnected = (store: Store): Store => ({
  ...withoutLeases(store),
  subscribe: () => Promise.resolve(() => Promise.resolve()),
});

/** Blocks the event loop, as a tool does that computes. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it(
  verifies(
    ["E1", "E4"],
    "a process that stood still looks at its runs when it works again: its client is asked what the run asks now",
  ),
  async () => {
    const store = memoryStore();
    const inbox = openInbox({ store, keys });
    const done: string[] = [];
    const tools = [order(done)];
    const stood = serve({ tools, lease: "60ms", store: disconnected(store) });
    serve({ tools, lease: "60ms", store });
    const { client, call } = await calling(stood, "order");
    await client.receive();
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    await inbox.answer(run, "name", { action: "accept", value: "Ada" });
    await expect.poll(async () => (await inbox.find(run))?.questions[0]?.key).toBe("sure");

    block(200);
    await client.receive("notifications/cancelled");
    await client.accept(await client.receive(), true);

    expect(textOf(await client.answerTo(call))).toBe("Ada: true");
    expect(done).toEqual(["Ada"]);
  },
);

it(
  verifies(
    "E4",
    "a run that another process continues between opening a round and asking it is followed: its client is asked what it asks now",
  ),
  async () => {
    const store = memoryStore();
    const inbox = openInbox({ store, keys });
    const gate = new Gate();
    let messages = 0;
    const slow: Store = {
      ...withoutLeases(store),
      /** The round is open in the store, and the process does not know it yet. */
      async append(...given) {
        const isAppended = await store.append(...given);
        await gate.passed();
        return isAppended;
      },
      subscribe: (channel, receive) =>
        store.subscribe(channel, (message) => {
          messages += 1;
          receive(message);
        }),
    };
    const done: string[] = [];
    const tools = [order(done)];
    const { client, call } = await calling(serve({ tools, store: slow, lease: LONG_LEASE }), "order");
    await gate.reached;
    serve({ tools, store, lease: LONG_LEASE });
    const [{ run } = { run: "" }] = (await inbox.list()).runs;

    await inbox.answer(run, "name", { action: "accept", value: "Ada" });
    await expect.poll(async () => (await inbox.find(run))?.questions[0]?.key).toBe("sure");
    // One of the inbox, one of the process that has continued the run.
    await expect.poll(() => messages).toBe(2);
    await new Promise(setImmediate);
    gate.open();

    const withdrawn = await client.receive();
    expect(withdrawn.params?.["message"]).toBe("Name?");
    await client.receive("notifications/cancelled");
    const sure = await client.receive();
    expect(sure.params?.["message"]).toBe("Sure?");
    await client.accept(sure, true);
    expect(textOf(await client.answerTo(call))).toBe("Ada: true");
    expect(done).toEqual(["Ada"]);
  },
);

it(
  verifies("E4", "a reply to one of several questions which ends the round withdraws the one that is asked"),
  async () => {
    const store = memoryStore();
    const inbox = openInbox({ store, keys });
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const given = yield* ask.all({ name: ask.text("Name?"), city: ask.text("City?") });
        return `${given.name} in ${given.city}`;
      },
    });
    const { client, call } = await calling(serve({ tools: [both], store, lease: LONG_LEASE }), "both");
    await client.receive();
    const [{ run } = { run: "" }] = (await inbox.list()).runs;

    await inbox.answer(run, "city", { action: "decline" });

    await client.receive("notifications/cancelled");
    expect((await client.answerTo(call)).result?.["isError"]).toBe(true);
  },
);

it(
  verifies("E4", "an answer that was published while Redis could not be reached ends the question at once"),
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.end());
    const line = await relay(redis.port);
    const store = await openStore(`redis://127.0.0.1:${line.port}`);
    const direct = await openStore(redis.address);
    onTestFinished(() => store.close());
    onTestFinished(() => direct.close());
    const inbox = openInbox({ store: direct, keys });
    const { client } = await calling(serve({ tools: [order()], store, lease: LONG_LEASE }), "order");
    await client.receive();
    const [{ run } = { run: "" }] = (await inbox.list()).runs;

    line.cut();
    await inbox.answer(run, "name", { action: "accept", value: "Ada" });
    line.restore();

    await client.receive("notifications/cancelled");
    expect((await client.receive()).params?.["message"]).toBe("Sure?");
  },
);

/** A line to a port of this host that can be cut: it is closed, and refuses connections until it is restored. */
async function relay(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createSocketServer((incoming) => {
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A socket has no port.");
  return {
    port: address.port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore() {
      isCut = false;
    },
  };
}
