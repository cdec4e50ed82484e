/** A suspended process that missed the messages of the others (rows E1, E4). */
import { randomBytes } from "node:crypto";
import { ask, step, tool } from "@photon/core";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, openInbox, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { overWebSocket } from "../wire/carriers.ts";
import { textOf } from "../wire/raw-client.ts";

/** The store as a process sees it whose leases have expired and whose subscription is lost. */
const disconnected = (store: Store): Store => ({
  ...store,
  lease: () => Promise.resolve(true),
  subscribe: () => Promise.resolve(() => Promise.resolve()),
});

/** Blocks the event loop, as a tool does that computes. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it(
  verifies(["E1", "E4"], "looks at its runs when it works again: its client is asked what the run asks now"),
  async () => {
    const keys = [randomBytes(32).toString("base64")];
    const store = memoryStore();
    const done: string[] = [];
    const order = tool({
      name: "order",
      durable: true,
      async *run() {
        const name = yield* ask.text("Name?", { id: "name" });
        yield* step("note", () => void done.push(name));
        return `${name}: ${yield* ask.confirm("Sure?", { id: "sure" })}`;
      },
    });
    const settings = { tools: [order], keys, lease: "60ms", report() {} } as const;
    const stood = createServer({ ...settings, store: disconnected(store) });
    const other = createServer({ ...settings, store });
    onTestFinished(() => stood.close());
    onTestFinished(() => other.close());
    const client = await overWebSocket((await stood.listen()).url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const call = client.begin("tools/call", { name: "order", arguments: {} });
    await client.hear();
    const inbox = openInbox({ store, keys });
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    await inbox.answer(run, "name", { action: "accept", value: "Ada" });
    await expect.poll(async () => (await inbox.find(run))?.questions[0]?.key).toBe("sure");

    block(200);
    await client.hear("notifications/cancelled");
    const sure = await client.hear();
    await client.accept(sure, true);

    expect(textOf(await client.answerTo(call))).toBe("Ada: true");
    expect(done).toEqual(["Ada"]);
  },
);
