/** Durable calls of 2026-07-28 with a store: any process continues them (ARCHITECTURE.md §5). */
import { randomBytes } from "node:crypto";
import { ask, emit, step, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { serveStateless } from "../wire/servers.ts";
import {
  type StatelessClient,
  accepted,
  codeIn,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];

/** Asks three things, and does something after each. */
function wizard(done: string[] = [], version?: string): Tool<never> {
  return tool({
    name: "wizard",
    durable: true,
    ...(version === undefined ? {} : { version }),
    async *run() {
      const said = [];
      for (const word of ["One?", "Two?", "Three?"]) {
        said.push(yield* ask.text(word));
        yield* step("do", ({ key }) => {
          done.push(key.replace(/^.*\//, ""));
        });
      }
      return said.join(" ");
    },
  });
}

/** Processes that share a store, one after another: each knows nothing of what the others have in memory. */
function processes(tools: readonly Tool<never>[], more: object = {}): () => Promise<StatelessClient> {
  const store = memoryStore();
  return async () =>
    (await serveStateless({ tools, keys, store, lease: "200ms", report() {}, ...more })).client;
}

describe("a durable call that a store keeps", () => {
  it(verifies(["E2", "E4"], "goes on in any process, and does each step once"), async () => {
    const done: string[] = [];
    const next = processes([wizard(done)]);

    const one = await (await next()).call("wizard");
    const two = await (await next()).accept(one, { "ask-1": "a" });
    const three = await (await next()).accept(two, { "ask-2": "b" });
    const last = await (await next()).accept(three, { "ask-3": "c" });

    expect(textOf(last.answer)).toBe("a b c");
    expect(done).toEqual(["do", "do#2", "do#3"]);
  });

  it("has a state that does not grow with what the run is told", async () => {
    const first = await (await processes([wizard()])()).call("wizard");
    const long = "x".repeat(100_000);
    const client = await processes([wizard()])();
    const one = await client.call("wizard");

    const two = await client.accept(one, { "ask-1": long });

    const lengthOf = (received: typeof two): number =>
      String(received.answer.result?.["requestState"]).length;
    expect(lengthOf(two)).toBeLessThan(lengthOf(first) + 20);
  });

  it(
    verifies(
      ["E1", "E4"],
      "gives the same to whoever brings the same to two processes at once, and does no step twice",
    ),
    async () => {
      const done: string[] = [];
      const next = processes([wizard(done)]);
      const one = await (await next()).call("wizard");

      const [here, there] = await Promise.all([
        (await next()).accept(one, { "ask-1": "a" }),
        (await next()).accept(one, { "ask-1": "a" }),
      ]);

      expect(Object.keys(questionsIn(here))).toEqual(["ask-2"]);
      expect(Object.keys(questionsIn(there))).toEqual(["ask-2"]);
      expect(done).toEqual(["do"]);
    },
  );

  it(verifies("E3", "lets the first answers win, whichever process others are brought to"), async () => {
    const next = processes([wizard()]);
    const one = await (await next()).call("wizard");
    const two = await (await next()).accept(one, { "ask-1": "a" });

    const late = await (await next()).accept(one, { "ask-1": "other" });

    expect(codeIn(late)).toBe(-32602);
    expect(Object.keys(questionsIn(two))).toEqual(["ask-2"]);
  });

  it("gives again what the run came to, in a process that never saw it", async () => {
    const done: string[] = [];
    const next = processes([wizard(done)]);
    const one = await (await next()).call("wizard");
    const two = await (await next()).accept(one, { "ask-1": "a" });
    const three = await (await next()).accept(two, { "ask-2": "b" });
    await (await next()).accept(three, { "ask-3": "c" });

    const again = await (await next()).accept(three, { "ask-3": "c" });

    expect(textOf(again.answer)).toBe("a b c");
    expect(done).toEqual(["do", "do#2", "do#3"]);
  });

  it("goes on where it was after its client has hung up in the middle, and does no step twice", async () => {
    const done: string[] = [];
    let proceed = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const slow = tool({
      name: "slow",
      durable: true,
      async *run() {
        const name = yield* ask.text("Name?");
        yield* step("first", () => void done.push("first"));
        yield emit.status("between");
        if (done.length === 1) await waiting;
        yield* step("second", () => void done.push("second"));
        return `Hello ${name}`;
      },
    });
    const next = processes([slow]);
    const one = await (await next()).call("slow");
    const client = await next();
    const retry = client.beginRetry(one, accepted({ "ask-1": "Ada" }), { meta: { progressToken: "p" } });
    await retry.messages.next(({ method }) => method === "notifications/progress");
    done.push("hung up");
    await retry.leave();
    proceed();

    const last = await (await next()).accept(one, { "ask-1": "Ada" });

    expect(textOf(last.answer)).toBe("Hello Ada");
    expect(done).toEqual(["first", "hung up", "second"]);
  });

  it("waits at the same question after what is no answer", async () => {
    const next = processes([wizard()]);
    const one = await (await next()).call("wizard");
    const wrong = await (await next()).retry(one, { "ask-1": 5 });

    const two = await (await next()).accept(one, { "ask-1": "a" });

    expect(codeIn(wrong)).toBe(-32602);
    expect(Object.keys(questionsIn(two))).toEqual(["ask-2"]);
  });

  it("asks again for an answer that did not fit, in another process", async () => {
    const nights = tool({
      name: "nights",
      durable: true,
      async *run() {
        return yield* ask.number("Nights?", { max: 3, retries: 1 });
      },
    });
    const next = processes([nights]);
    const one = await (await next()).call("nights");
    const two = await (await next()).accept(one, { "ask-1": 9 });

    const last = await (await next()).accept(two, { "ask-1": 2 });

    expect(Object.keys(questionsIn(two))).toEqual(["ask-1"]);
    expect(textOf(last.answer)).toBe("2");
  });

  it("refuses a state that was used, in every process, where each is good for one request", async () => {
    const next = processes([wizard()], { singleUse: true });
    const one = await (await next()).call("wizard");
    await (await next()).accept(one, { "ask-1": "a" });

    expect(codeIn(await (await next()).accept(one, { "ask-1": "a" }))).toBe(-32602);
  });

  it("leaves nothing in the store of a call that asks nothing", async () => {
    const store = memoryStore();
    const plain = tool({
      name: "plain",
      durable: true,
      async *run() {
        return "done";
      },
    });
    const { client } = await serveStateless({ tools: [plain], keys, store });

    await client.call("plain");

    expect((await store.list({ limit: 10 })).entries).toEqual([]);
  });
});

it("does not start with a store and without keys", async () => {
  await expect(serveStateless({ store: memoryStore(), keys: [] })).rejects.toThrow("A store needs keys");
});

it("refuses to keep more of a run than a store may, and says so", async () => {
  const client = await processes([wizard()], { limits: { records: 6 } })();
  const one = await client.call("wizard");

  const two = await client.accept(one, { "ask-1": "a" });

  expect(two.answer.error?.message).toMatch(/wizard .+ \(limits\.records\)/);
});

it(verifies("E5", "tells an old run that meets new code so, and does nothing of it"), async () => {
  const done: string[] = [];
  const store = memoryStore();
  const serving = async (version: string): Promise<StatelessClient> =>
    (await serveStateless({ tools: [wizard(done, version)], keys, store, report() {} })).client;
  const one = await (await serving("1")).call("wizard");

  const late = await (await serving("2")).accept(one, { "ask-1": "a" });

  expect(late.answer.result?.["isError"]).toBe(true);
  expect(textOf(late.answer)).toBe(
    "This run was started by version 1 of wizard, which is now version 2. Call the tool again.",
  );
  expect(done).toEqual([]);
});
