/** Calls whose run was written to from elsewhere, or whose store fails, while they work (rows E1, E2, E4). */
import { randomBytes } from "node:crypto";
import { ask, step, tool } from "@photon/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openInbox, type ServerOptions, type Store } from "../../src/index.ts";
import { INVALID_REQUEST, RpcError } from "../../src/jsonrpc/errors.ts";
import { DurableCall } from "../../src/durable/durable-call.ts";
import { RunRepository } from "../../src/durable/run-repository.ts";
import { SealedBox } from "../../src/crypto/sealed-box.ts";
import { resolveSettings } from "../../src/settings.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { Gate } from "../wire/gate.ts";
import { serveStateless, listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { StatelessClient, accepted, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { overrideStore } from "../stores/override-store.ts";

/** Longer than it takes to continue a run: what does not happen by then does not happen. */
const aWhile = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 50);
  });

const keys = [randomBytes(32).toString("base64")];

const both = tool({
  name: "both",
  durable: true,
  async *run() {
    const { name, city } = yield* ask.all({ name: ask.text("Name?"), city: ask.text("City?") });
    return `${name} in ${city}`;
  },
});

/** A server whose next append to its store is preceded by an answer in the inbox, once a test says so. */
async function interruptedHome(options: ServerOptions) {
  const store = memoryStore();
  const inbox = openInbox({ store, keys });
  let beforeAppend: (() => Promise<void>) | undefined;
  const home = await serveStateless({
    keys,
    store: overrideStore(store, {
      async append(...given) {
        const act = beforeAppend;
        beforeAppend = undefined;
        await act?.();
        return store.append(...given);
      },
    }),
    report() {},
    ...options,
  });
  const answerFirst = async (key: string, value: string): Promise<void> => {
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    beforeAppend = () => inbox.answer(run, key, { action: "accept", value });
  };
  return { ...home, answerFirst };
}

describe("a request of 2026-07-28 whose run has moved", () => {
  it(verifies("E4", "keeps its answers to the questions that were not answered elsewhere"), async () => {
    const { client, answerFirst } = await interruptedHome({ tools: [both] });
    const asked = await client.call("both");
    await answerFirst("city", "Rome");

    const last = await client.retry(asked, accepted({ name: "Ada", city: "Oslo" }));

    expect(textOf(last.answer)).toBe("Ada in Rome");
  });

  it(verifies("C6", "is asked as many rounds in its call as if the run had not moved"), async () => {
    const survey = tool({
      name: "survey",
      durable: true,
      async *run() {
        for (const id of ["one", "two", "three"]) yield* ask.text(`Question ${id}?`, { id });
      },
    });
    const { client, answerFirst } = await interruptedHome({ tools: [survey], limits: { roundsPerCall: 2 } });
    const one = await client.call("survey");
    await answerFirst("one", "from the inbox");

    const two = await client.retry(one, accepted({ one: "from the client" }));
    const handed = await client.retry(two, accepted({ two: "from the client" }));

    expect(Object.keys(questionsIn(two))).toEqual(["two"]);
    expect(textOf(handed.answer)).toContain("photon_continue");
  });
});

/** A call in the store, as a process of a session records it. */
const head = {
  method: "tools/call",
  subject: "working",
  params: { name: "working" },
  principal: "",
  client: { name: "model", version: "1", can: { form: true, url: true, sample: false, roots: false } },
  revision: "2025-11-25",
} as const;

const runsOn = (store: Store): RunRepository =>
  new RunRepository(store, new SealedBox(keys), resolveSettings({ keys, store }));

describe("a run that another process works on", () => {
  it(
    verifies(["B8", "E4"], "ends when its client cancels it, although the other process appends meanwhile"),
    async () => {
      const store = memoryStore();
      let afterRead: (() => Promise<void>) | undefined;
      const interrupted: Store = overrideStore(store, {
        async read(...given) {
          const found = await store.read(...given);
          const act = afterRead;
          afterRead = undefined;
          await act?.();
          return found;
        },
      });
      const runs = runsOn(interrupted);
      const log = runs.begin("cancelled", head).startBody();
      await log.begin({ step: "pay", begun: true });
      const call = new DurableCall({ log, release: () => Promise.resolve() }, runs);
      const other = (await runsOn(store).find("cancelled"))?.startBody();
      await other?.begin({ step: "pay", begun: true });
      afterRead = async () => other?.append({ step: "pay", value: 1, emits: 0 });

      await call.cancel(new RpcError(INVALID_REQUEST, "The client cancelled the call."));

      expect((await runsOn(store).find("cancelled"))?.ending).toMatchObject({
        error: { code: INVALID_REQUEST },
      });
    },
  );

  it(verifies("E2", "is listed again after its client had left it"), async () => {
    const store = memoryStore();
    const runs = runsOn(store);
    const log = runs.begin("left", head).startBody();
    await log.begin({ step: "one", begun: true });
    await log.recordLeft();
    expect(await runs.opened("left")).toBeUndefined();

    const other = (await runs.find("left"))?.startBody();
    await other?.begin({ step: "one", begun: true });

    expect(await runs.opened("left")).toMatchObject({ awaitsProcess: true });
  });
});

describe("a store that fails after a step was done", () => {
  it(verifies("E1", "is given the outcome as soon as it works again; the step is done once"), async () => {
    const store = memoryStore();
    let failures = 0;
    const failing: Store = overrideStore(store, {
      append: (...given) => {
        failures -= 1;
        return failures < 0
          ? store.append(...given)
          : Promise.reject(new StoreUnavailable("memory:", "it is away"));
      },
    });
    const done: string[] = [];
    const paying = tool({
      name: "paying",
      durable: true,
      async *run() {
        yield* ask.text("Name?", { id: "name" });
        yield* step("pay", () => {
          done.push("pay");
          failures = 3;
        });
        return "paid";
      },
    });
    const { client } = await serveStateless({ tools: [paying], keys, store: failing, report() {} });

    const last = await client.retry(await client.call("paying"), accepted({ name: "Ada" }));

    expect(textOf(last.answer)).toBe("paid");
    expect(done).toEqual(["pay"]);
  });
});

describe("a request that waits for another process to work on its run", () => {
  it(verifies(["C5", "E2"], "is answered with a state when its server closes"), async () => {
    const gate = new Gate();
    const store = memoryStore();
    let run = "";
    const isHeld = (name: string): boolean => run !== "" && name === `run:${run}`;
    const held: Store = overrideStore(store, {
      lease: (name, ...rest) => (isHeld(name) ? Promise.resolve(false) : store.lease(name, ...rest)),
    });
    const paying = tool({
      name: "paying",
      durable: true,
      async *run() {
        yield* step("pay", async ({ key }) => {
          await gate.passed();
          run = key.split("/")[0] ?? "";
        });
      },
    });
    const { client, server } = await serveStateless({ tools: [paying], keys, store: held, report() {} });
    const call = client.begin("tools/call", { name: "paying", arguments: {} });
    await gate.reached;
    const runs = runsOn(store);
    const [open] = (await runs.awaitingProcess(undefined, 1)).runs;
    const other = (await runs.find(open?.run ?? ""))?.startBody();
    await other?.begin({ step: "pay", begun: true });
    const following = vi.spyOn(held, "lease");
    gate.open();
    await expect.poll(() => following.mock.calls.filter(([name]) => isHeld(name)).length).toBeGreaterThan(0);

    await server.close();

    expect((await call.received).answer.result).toMatchObject({ resultType: "input_required" });
  });
});

describe("a request that reads the log of its run while its server closes", () => {
  it.each([["waits in the same process"], ["began in another process"]])(
    verifies(["B8", "E1"], "does no step after its client was told to send it again, where the call %s"),
    async (where) => {
      const gate = new Gate();
      const store = memoryStore();
      let isSlow = false;
      const slow: Store = overrideStore(store, {
        async read(...given) {
          const found = await store.read(...given);
          if (isSlow) await gate.passed();
          return found;
        },
      });
      const done: string[] = [];
      const paying = tool({
        name: "paying",
        durable: true,
        async *run() {
          yield* ask.text("Name?", { id: "name" });
          yield* step("pay", ({ key }) => void done.push(key));
          return "paid";
        },
      });
      const { client, server } = await serveStateless({ tools: [paying], keys, store: slow, report() {} });
      const other = await listening({ tools: [paying], keys, store, report() {} });
      const elsewhere = new StatelessClient(overStatelessHttp(other.url));
      onTestFinished(() => elsewhere.close());
      const asked = await (where.startsWith("waits") ? client : elsewhere).call("paying");
      isSlow = true;
      const retry = client.beginRetry(asked, accepted({ name: "Ada" }));
      await gate.reached;
      const closing = server.close();
      const state = await retry.received;
      gate.open();
      await closing;
      await aWhile();
      expect(done).toEqual([]);

      const last = await elsewhere.retry(state);

      expect(textOf(last.answer)).toBe("paid");
      expect(done).toHaveLength(1);
    },
  );
});

describe("a server that is being closed", () => {
  it(
    verifies(
      ["B8", "E1"],
      "continues no run without its client, also where a connection is opened meanwhile",
    ),
    async () => {
      const gate = new Gate();
      const store = memoryStore();
      const done: string[] = [];
      const order = tool({
        name: "order",
        durable: true,
        async *run() {
          const name = yield* ask.text("Name?", { id: "name" });
          yield* step("note", () => void done.push(name));
        },
      });
      const working = tool({
        name: "working",
        durable: true,
        async *run() {
          yield* step("work", () => gate.passed());
        },
      });
      const inbox = openInbox({ store, keys });
      const { client, server } = await serveStateless({ tools: [order, working], keys, store, report() {} });
      await client.call("order");
      const [{ run } = { run: "" }] = (await inbox.list()).runs;
      const call = client.begin("tools/call", { name: "working", arguments: {} });
      await gate.reached;
      const closing = server.close();

      await inbox.answer(run, "name", { action: "accept", value: "Ada" });
      const session = server.open({ mayMergeReads: false, send() {}, close() {} });
      await aWhile();
      gate.open();
      await Promise.all([closing, session.close()]);
      await call.received;

      expect(done).toEqual([]);
    },
  );
});

describe("a state without questions, which a server gave as it closed", () => {
  it("continues after the client has left the request that brought it", async () => {
    const gate = new Gate();
    let isOpen = false;
    const working = tool({
      name: "working",
      durable: true,
      async *run(_input, { signal }) {
        if (!isOpen) await gate.passed(signal);
        return yield* ask.text("Name?", { id: "name" });
      },
    });
    const first = await listening({ tools: [working], keys, report() {} });
    const client = new StatelessClient(overStatelessHttp(first.url));
    const call = client.begin("tools/call", { name: "working", arguments: {} });
    await gate.reached;
    await first.server.close();
    const state = await call.received;
    const second = await listening({ tools: [working], keys, report() {} });
    const other = new StatelessClient(overStatelessHttp(second.url));
    onTestFinished(() => other.close());
    const left = other.beginRetry(state, {});
    await gate.reached;
    await left.leave();

    isOpen = true;
    const asked = await other.retry(state, {});

    expect(questionsIn(asked)).toHaveProperty("name");
  });
});
