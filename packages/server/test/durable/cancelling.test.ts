/** Durable calls that their client gives up: nobody is asked for them any more, on any store (rows B8, E6). */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ask, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openStore, type PhotonServer, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { folder } from "../stores/folder.ts";
import { startRedis } from "../stores/redis-server.ts";
import { Gate } from "../wire/gate.ts";
import { listening } from "../wire/servers.ts";
import { overConnection, overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import { StatelessClient, accepted, textOf } from "../../../../test/clients/raw-client.ts";
import { movable } from "../wire/movable-clock.ts";
import { begin, send, sessionIn } from "../wire/session-requests.ts";

const keys = [randomBytes(32).toString("base64")];

/** What opens the same store for each process. */
type OpenAgain = () => Promise<Store>;

const kinds: { readonly [name: string]: () => Promise<OpenAgain> } = {
  async memory() {
    const store = memoryStore();
    return () => Promise.resolve(store);
  },
  async sqlite() {
    const path = join(folder(), "photon.db");
    return () => openStore(`sqlite:${path}`);
  },
  async redis() {
    const redis = await startRedis();
    onTestFinished(() => redis.end());
    return () => openStore(redis.address);
  },
};

interface Node {
  readonly server: PhotonServer;
  readonly url: string;
}

const name: Tool<never> = tool({
  name: "name",
  durable: true,
  async *run() {
    return `Hello ${yield* ask.text("Name?", { id: "name" })}`;
  },
});

async function nodes(again: OpenAgain, tools: readonly Tool<never>[] = [name]): Promise<[Node, Node]> {
  const node = async (): Promise<Node> => {
    const store = await again();
    onTestFinished(() => store.close());
    return listening({ keys, store, tools, lease: "200ms", report() {} });
  };
  return [await node(), await node()];
}

const listed = async ({ server }: Node): Promise<number> => (await server.inbox.list()).runs.length;

const call = (id: number): object => ({ id, method: "tools/call", params: { name: "name" } });
const cancel = (requestId: number): object => ({
  id: undefined,
  method: "notifications/cancelled",
  params: { requestId },
});

it(
  verifies(
    ["B8", "E6"],
    "a call is asked no more once a process cancels it whose clock is behind, where the process that asked has gone",
  ),
  async () => {
    const store = memoryStore();
    const first = await listening({ keys, store, tools: [name], lease: "200ms", report() {} });
    const clock = Object.assign(movable(), { ahead: -2000 });
    const second = await listening({ keys, store, tools: [name], clock, lease: "200ms", report() {} });
    const session = sessionIn(await begin(first.url));
    await send(first.url, "POST", session, call(7));
    await expect.poll(() => listed(second)).toBe(1);
    await first.server.close();

    await send(second.url, "POST", session, cancel(7));

    await expect.poll(() => listed(second)).toBe(0);
  },
);

describe.each(Object.entries(kinds))("in a store in %s", { timeout: 60_000 }, (_, open) => {
  describe("a call of a session that waits for somebody", () => {
    /** Asked by the first of two processes. */
    async function asked(): Promise<{ first: Node; second: Node; session: string; run: string }> {
      const [first, second] = await nodes(await open());
      const session = sessionIn(await begin(first.url));
      await send(first.url, "POST", session, call(7));
      await expect.poll(() => listed(second)).toBe(1);
      const [{ run } = { run: "" }] = (await second.server.inbox.list()).runs;
      return { first, second, session, run };
    }

    it.each(["first", "second"] as const)(
      verifies(["B8", "E6"], "is asked no more once it is cancelled in the %s process"),
      async (where) => {
        const scene = await asked();

        expect((await send(scene[where].url, "POST", scene.session, cancel(7))).status).toBe(202);

        await expect.poll(() => listed(scene.second)).toBe(0);
        await expect(
          scene.second.server.inbox.answer(scene.run, "name", { action: "accept", value: "Ada" }),
        ).rejects.toThrow("is not open");
      },
    );

    it.each(["first", "second"] as const)(
      verifies(["B8", "E6"], "is asked no more once its session is ended in the %s process"),
      async (where) => {
        const scene = await asked();

        expect((await send(scene[where].url, "DELETE", scene.session)).status).toBe(204);

        await expect.poll(() => listed(scene.second)).toBe(0);
      },
    );

    it.each([
      ["cancelled", async ({ url }: Node, session: string) => send(url, "POST", session, cancel(7))],
      ["over with its session", async ({ url }: Node, session: string) => send(url, "DELETE", session)],
    ] as const)(
      verifies(["B8", "E6"], "is asked no more once it is %s, where the process that asked has gone"),
      async (_how, giveUp) => {
        const { first, second, session, run } = await asked();
        await first.server.close();
        expect(await listed(second)).toBe(1);

        expect((await giveUp(second, session)).status).toBeLessThan(300);

        await expect.poll(() => listed(second)).toBe(0);
        expect(await second.server.inbox.find(run)).toBeUndefined();
        await expect(
          second.server.inbox.answer(run, "name", { action: "accept", value: "Ada" }),
        ).rejects.toThrow("is not open");
      },
    );
  });

  describe("a call of 2026-07-28 that its client leaves in the middle", () => {
    it.each([
      ["breaks its stream", async (url: string) => overStatelessHttp(url)],
      ["cancels it on its socket", async (url: string) => overConnection(await overWebSocket(url))],
    ] as const)(
      verifies(
        ["B8", "E6"],
        "asks nobody what was answered, when whoever called %s; the same request goes on",
      ),
      async (_how, over) => {
        const gate = new Gate();
        let stopped = (): void => {};
        const isStopped = new Promise<void>((resolve) => {
          stopped = resolve;
        });
        const slow = tool({
          name: "slow",
          durable: true,
          async *run(_input, { signal }) {
            const said = yield* ask.text("Name?", { id: "name" });
            signal.addEventListener("abort", stopped);
            await gate.passed(signal);
            return `Hello ${said}`;
          },
        });
        const [first, second] = await nodes(await open(), [slow]);
        const client = new StatelessClient(await over(first.url));
        onTestFinished(() => client.close());
        const one = await client.call("slow");
        expect(await listed(second)).toBe(1);
        const retry = client.beginRetry(one, accepted({ name: "Ada" }));
        await gate.reached;
        expect(await listed(second)).toBe(0);

        await retry.leave();
        await isStopped;

        expect(await listed(second)).toBe(0);
        gate.open();
        const last = await client.retry(one, accepted({ name: "Ada" }));
        expect(textOf(last.answer)).toBe("Hello Ada");
      },
    );
  });
});
