/** Clients on sessions that lose their streams and come back to other processes, which share a store (rows C9, E2, E4). */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, emit, step, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, openInbox, openStore, type ServerOptions, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { folder } from "../stores/folder.ts";
import { Gate } from "../wire/gate.ts";
import { textOf } from "../../../../test/clients/raw-client.ts";
import { Random } from "../wire/random.ts";
import { overrideStore } from "../stores/override-store.ts";
import { ResumingClient, type ReceivedStream } from "../../../../test/clients/resuming-client.ts";

const keys = [randomBytes(32).toString("base64")];

const greet = tool({
  name: "greet",
  durable: true,
  async *run() {
    return `Hello ${yield* ask.text("Name?", { id: "name" })}`;
  },
});

/** A process of a deployment: its address, and what closes it. */
async function serve(store: Store, options: ServerOptions = {}) {
  const server = createServer({ tools: [greet], keys, store, report() {}, ...options });
  onTestFinished(() => server.close());
  return { url: (await server.listen()).url, close: () => server.close() };
}

/** The run of a stream: its event ids are named by it. */
const runOf = ({ lastId }: ReceivedStream): string => lastId.split(".")[0] ?? "";

describe("a client whose stream breaks", () => {
  it(
    verifies("C9", "comes back to the process that it began with, after it was in another one"),
    async () => {
      const store = memoryStore();
      const [first, second] = [await serve(store), await serve(store)];
      const client = await ResumingClient.connect(first.url);
      const begun = await client.call(first.url, 1, "greet");
      await begun.next();
      begun.cut();
      const elsewhere = await client.comeBack(second.url, begun.lastId);
      expect((await elsewhere.next())?.method).toBe("elicitation/create");
      elsewhere.cut();

      const back = await client.comeBack(first.url, elsewhere.lastId);
      const question = await back.next();
      await client.answer(first.url, question ?? {}, "Ada");

      expect(textOf((await back.next()) ?? {})).toBe("Hello Ada");
    },
  );

  it(
    verifies("C9", "comes back to another process also before the tool has asked or done anything"),
    async () => {
      const gate = new Gate();
      const slow = tool({
        name: "slow",
        durable: true,
        async *run() {
          await gate.passed();
          return `Hello ${yield* ask.text("Name?", { id: "name" })}`;
        },
      });
      const store = memoryStore();
      const [first, second] = [await serve(store, { tools: [slow] }), await serve(store, { tools: [slow] })];
      const client = await ResumingClient.connect(first.url);
      const begun = await client.call(first.url, 1, "slow");
      await Promise.all([gate.reached, begun.primed()]);
      begun.cut();
      await expect.poll(async () => (await store.read(runOf(begun))).length).toBeGreaterThan(0);
      gate.open();

      const back = await client.comeBack(second.url, begun.lastId);

      expect((await back.next())?.method).toBe("elicitation/create");
    },
  );

  it(verifies("C9", "is asked again where it has missed more events than its process keeps"), async () => {
    const talkative = tool({
      name: "talkative",
      durable: true,
      async *run() {
        for (let times = 0; times < 20; times += 1) yield emit.log("info", `${times}`);
        return `Hello ${yield* ask.text("Name?", { id: "name" })}`;
      },
    });
    const { url } = await serve(memoryStore(), { tools: [talkative], limits: { events: 5 } });
    const client = await ResumingClient.connect(url);
    const begun = await client.call(url, 1, "talkative");
    await begun.next();
    begun.cut();

    const back = await client.comeBack(url, `${runOf(begun)}.0`);

    expect((await back.next())?.method).toBe("elicitation/create");
  });

  it.each([
    ["calls under way", { runsPerSession: 1 }],
    ["questions open", { asksPerSession: 1 }],
  ])("is not refused by a limit of %s that holds in each process", async (_, limits) => {
    const store = memoryStore();
    const nodes = await Promise.all([1, 2, 3].map(() => serve(store, { limits })));
    const [first, second, third] = nodes.map(({ url }) => url) as [string, string, string];
    const client = await ResumingClient.connect(first);
    const calls = [await client.call(first, 1, "greet"), await client.call(second, 2, "greet")];
    for (const call of calls) await call.next();
    await nodes[0]?.close();
    await nodes[1]?.close();

    for (const { lastId } of calls) {
      const back = await client.comeBack(third, lastId);
      expect((await back.next())?.method).toBe("elicitation/create");
    }
  });
});

describe("a client that has come back to another process", () => {
  it(
    verifies("E4", "is given the result also where its answer reaches the process that it has left"),
    { timeout: 60_000 },
    async () => {
      const path = `sqlite:${join(folder(), "photon.db")}`;
      const stores = [await openStore(path), await openStore(path)] as const;
      for (const store of stores) onTestFinished(() => store.close());
      // SQLite is polled for messages: the first process learns a while later that the client is elsewhere.
      const [first, second] = [await serve(stores[0]), await serve(stores[1])];
      const client = await ResumingClient.connect(first.url);
      const begun = await client.call(first.url, 1, "greet");
      await begun.next();
      begun.cut();
      const back = await client.comeBack(second.url, begun.lastId);
      const question = (await back.next()) ?? {};

      await client.answer(first.url, question, "Ada");

      expect(textOf((await back.next()) ?? {})).toBe("Hello Ada");
    },
  );

  it(verifies("E4", "keeps it when a late message says that it was elsewhere before"), async () => {
    const store = memoryStore();
    const held: (() => void)[] = [];
    let isHeld = false;
    const slow: Store = overrideStore(store, {
      subscribe: (channel, onMessage, onGap) =>
        store.subscribe(
          channel,
          (message) => void (isHeld ? held.push(() => onMessage(message)) : onMessage(message)),
          onGap,
        ),
    });
    const [first, second] = [await serve(slow), await serve(store)];
    const client = await ResumingClient.connect(first.url);
    const begun = await client.call(first.url, 1, "greet");
    await begun.next();
    isHeld = true;
    begun.cut();
    const elsewhere = await client.comeBack(second.url, begun.lastId);
    await elsewhere.next();
    elsewhere.cut();
    // The first process hangs up once, when it finds in the log that the client was elsewhere.
    let back = await client.comeBack(first.url, elsewhere.lastId);
    let question = await back.next();
    for (let tries = 0; question === undefined && tries < 3; tries += 1) {
      back = await client.comeBack(first.url, back.lastId);
      question = await back.next();
    }

    for (const deliver of held) deliver();
    await client.answer(first.url, question ?? {}, "Ada");

    expect(textOf((await back.next()) ?? {})).toBe("Hello Ada");
  });
});

describe("an answer that reaches another process than the call's", () => {
  it(
    verifies("E4", "counts when the inbox answers another question of the round at the same time"),
    async () => {
      const both = tool({
        name: "both",
        durable: true,
        async *run() {
          const { name, city } = yield* ask.all({ name: ask.text("Name?"), city: ask.text("City?") });
          return `${name} in ${city}`;
        },
      });
      const store = memoryStore();
      const inbox = openInbox({ store, keys });
      let beforeAppend: (() => Promise<void>) | undefined;
      const interrupted: Store = overrideStore(store, {
        async append(...given) {
          const act = beforeAppend;
          beforeAppend = undefined;
          await act?.();
          return store.append(...given);
        },
      });
      const first = await serve(store, { tools: [both] });
      const second = await serve(interrupted, { tools: [both] });
      const client = await ResumingClient.connect(first.url);
      const begun = await client.call(first.url, 1, "both");
      const question = (await begun.next()) ?? {};
      beforeAppend = () => inbox.answer(runOf(begun), "city", { action: "accept", value: "Rome" });

      await client.answer(second.url, question, "Ada");

      expect(textOf((await begun.next()) ?? {})).toBe("Ada in Rome");
    },
  );

  it.each([
    [
      "an answer",
      (client: ResumingClient, url: string, { id }: { id?: unknown }) =>
        client.send(url, { id, result: { action: "accept", content: { value: "Ada" } } }),
    ],
    [
      "a cancellation",
      (client: ResumingClient, url: string) =>
        client.send(url, { method: "notifications/cancelled", params: { requestId: 1 } }),
    ],
  ] as const)("waits while the store cannot be used for a moment: %s", async (_, act) => {
    const store = memoryStore();
    const inbox = openInbox({ store, keys });
    let failures = 0;
    const fail = (): boolean => (failures -= 1) >= 0;
    const unavailable = (): Promise<never> => Promise.reject(new StoreUnavailable("memory:", "it is away"));
    const failing: Store = overrideStore(store, {
      putIfAbsent: (...given) => (fail() ? unavailable() : store.putIfAbsent(...given)),
      get: (...given) => (fail() ? unavailable() : store.get(...given)),
    });
    const first = await serve(store);
    const second = await serve(failing);
    const client = await ResumingClient.connect(first.url);
    const begun = await client.call(first.url, 1, "greet");
    const question = (await begun.next()) ?? {};
    failures = 2;

    expect(await act(client, second.url, question)).toBe(202);

    await expect.poll(async () => (await inbox.list()).runs).toEqual([]);
  });
});

const SEED = 20_262;
const CLIENTS = 40;

describe("clients that come back to any of three processes again and again", () => {
  it(
    verifies(["C9", "E1", "E4"], "are given their results, and every step is done once"),
    { timeout: 90_000 },
    async () => {
      const random = new Random(SEED);
      const done: string[] = [];
      const wizard = tool({
        name: "wizard",
        durable: true,
        async *run() {
          const { name, city } = yield* ask.all({ name: ask.text("Name?"), city: ask.text("City?") });
          yield* step("note", ({ key }) => void done.push(key));
          const isSure = yield* ask.confirm("Sure?", { id: "sure" });
          yield* step("book", ({ key }) => void done.push(key));
          return `${name} in ${city}: ${isSure}`;
        },
      });
      const store = memoryStore();
      const inbox = openInbox({ store, keys });
      const nodes = await Promise.all(
        [1, 2, 3].map(() => serve(delayed(store, random), { tools: [wizard], lease: "1s" })),
      );
      const anyUrl = (): string => random.pick(nodes).url;

      const results = await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          const client = await ResumingClient.connect(anyUrl());
          let stream = await client.call(anyUrl(), 1, "wizard");
          await stream.primed();
          const answered = new Set<unknown>();
          for (let returns = 0; ;) {
            const message = await stream.next();
            if (message !== undefined && message.method === undefined) return textOf(message);
            if (message !== undefined && !answered.has(message.id)) {
              answered.add(message.id);
              const asked = String(message.params?.["message"]);
              void pause(random.between(0, 100))
                .then(() => client.answer(anyUrl(), message, ANSWERS[asked]))
                .catch(() => {});
              void pause(random.between(0, 100))
                .then(() =>
                  inbox.answer(runOf(stream), asked === "Sure?" ? "sure" : "city", {
                    action: "accept",
                    value: ANSWERS[asked === "Sure?" ? asked : "City?"],
                  }),
                )
                .catch(() => {});
            }
            // Some streams break, and a server ends those of calls that have moved.
            if (message !== undefined && (returns >= 3 || random.between(0, 1) === 0)) continue;
            stream.cut();
            returns += 1;
            await pause(random.between(0, 30));
            stream = await client.comeBack(anyUrl(), stream.lastId);
          }
        }),
      );

      expect(results).toEqual(Array(CLIENTS).fill("Ada in Rome: true"));
      expect(done).toHaveLength(2 * CLIENTS);
      expect(new Set(done).size).toBe(2 * CLIENTS);
    },
  );
});

const ANSWERS: { readonly [question: string]: unknown } = { "Name?": "Ada", "City?": "Rome", "Sure?": true };

/** A store whose accesses and messages take a while, in any order. */
function delayed(store: Store, random: Random): Store {
  const slowly = async <T>(access: () => Promise<T>): Promise<T> => {
    await pause(random.between(0, 3));
    const found = await access();
    await pause(random.between(0, 3));
    return found;
  };
  return overrideStore(store, {
    append: (...given) => slowly(() => store.append(...given)),
    read: (...given) => slowly(() => store.read(...given)),
    getOpen: (run) => slowly(() => store.getOpen(run)),
    lease: (...given) => slowly(() => store.lease(...given)),
    subscribe: (channel, onMessage, onGap) =>
      store.subscribe(
        channel,
        (message) => void pause(random.between(0, 20)).then(() => onMessage(message)),
        onGap,
      ),
  });
}
