/** Calls that were given up on a session stay given up, whoever goes on with them and however long they are kept (rows B8, E6). */
import { overrideStore } from "../stores/override-store.ts";
import { randomBytes } from "node:crypto";
import { ask, step, tool } from "@photon/core";
import { expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openInbox } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { Gate } from "../wire/gate.ts";
import { movable } from "../wire/movable-clock.ts";
import { begin, send, sessionIn } from "../wire/session-requests.ts";
import { listening } from "../wire/servers.ts";
import { watchLooks } from "./watch-looks.ts";

const keys = [randomBytes(32).toString("base64")];
const HOUR = 3_600_000;

it(
  verifies("B8", "a call that is cancelled while a process goes on with it is asked on of nobody"),
  async () => {
    const memory = memoryStore();
    let noted = (): void => {};
    const isNoted = new Promise<void>((resolve) => {
      noted = resolve;
    });
    const store = overrideStore(memory, {
      async putIfAbsent(...given) {
        const kept = await memory.putIfAbsent(...given);
        noted();
        return kept;
      },
    });
    const gate = new Gate();
    const slow = tool({
      name: "slow",
      durable: true,
      async *run() {
        yield* ask.text("One?", { id: "one" });
        yield* step("work", () => gate.passed());
        return yield* ask.text("Two?", { id: "two" });
      },
    });
    const options = { keys, store, tools: [slow], lease: "50ms", report() {} } as const;
    const first = await listening(options);
    const session = sessionIn(await begin(first.url));
    await send(first.url, "POST", session, { id: 7, method: "tools/call", params: { name: "slow" } });
    const inbox = openInbox({ store, keys });
    await expect.poll(async () => (await inbox.list()).runs.length).toBe(1);
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    await first.server.close();
    const second = await listening(options);
    await inbox.answer(run, "one", { action: "accept", value: "x" });
    await gate.reached;

    const method = "notifications/cancelled";
    await send(second.url, "POST", session, { id: undefined, method, params: { requestId: 7 } });
    await isNoted;
    gate.open();

    expect(await inbox.wait(run)).toMatchObject({ error: { message: "The client cancelled the call." } });
  },
);

it(verifies("B8", "a session that was ended is ended for as long as its runs are kept"), async () => {
  const clock = movable();
  const { store, look } = watchLooks(memoryStore(clock));
  const done: string[] = [];
  const wipe = tool({
    name: "wipe",
    durable: true,
    async *run() {
      const how = yield* ask.text("Wipe?", { timeout: "2d", fallback: { timeout: "by default" } });
      yield* step("wipe", () => void done.push(how));
      return how;
    },
  });
  const options = { keys, store, clock, tools: [wipe], report() {} };
  const first = await listening(options);
  const session = sessionIn(await begin(first.url));
  // It has been there for nearly as long as one can be, when it calls.
  clock.ahead = (7 * 24 - 1) * HOUR;
  await send(first.url, "POST", session, { id: 7, method: "tools/call", params: { name: "wipe" } });
  await expect.poll(async () => (await store.list({ limit: 9 })).entries.length).toBe(1);
  await first.server.close();
  const second = await listening({ ...options, tools: [] });
  expect((await send(second.url, "DELETE", session)).status).toBe(204);
  await second.server.close();

  clock.ahead += 50 * HOUR;
  const looking = look();
  const third = await listening(options);
  await looking;

  expect((await third.server.inbox.list()).runs).toEqual([]);
  expect(done).toEqual([]);
});
