/** What becomes of runs when their store has a bad day: a clear error, nothing lost, nothing done twice (rows E1, E2). */
import { randomBytes } from "node:crypto";
import { ask, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openStore, type Store } from "../../src/index.ts";
import { startRedis, type RedisServer } from "../stores/redis-server.ts";
import { serveStateless } from "../wire/servers.ts";
import {
  type Exchange,
  type StatelessClient,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];

function booking(done: string[]): Tool<never> {
  return tool({
    name: "booking",
    durable: true,
    async *run() {
      const city = yield* ask.text("Where to?");
      yield* step("hold", () => void done.push("hold"));
      const isSure = yield* ask.confirm("Sure?");
      yield* step("book", () => void done.push("book"));
      return `${city} ${isSure}`;
    },
  });
}

interface Scene {
  readonly redis: RedisServer;
  readonly store: Store;
  readonly client: StatelessClient;
  readonly url: string;
  readonly done: readonly string[];
  /** What the server's log is told. */
  readonly reported: readonly unknown[];
}

async function scene(...settings: readonly string[]): Promise<Scene> {
  const redis = await startRedis("--appendonly", "yes", ...settings);
  onTestFinished(() => redis.end());
  const store = await openStore(redis.address);
  onTestFinished(() => store.close());
  const done: string[] = [];
  const reported: unknown[] = [];
  const report = (error: unknown): void => void reported.push(error);
  const { client, url } = await serveStateless({ tools: [booking(done)], keys, store, report });
  return { redis, store, client, url, done, reported };
}

/** Sends the same until it is answered with a result: what a program does that is told to send it again. */
async function insist(send: () => Promise<Exchange>): Promise<Exchange> {
  for (;;) {
    const received = await send();
    if (received.answer.result !== undefined) return received;
    expect(received.answer.error?.message).toMatch(/cannot be used: .* it may be sent again\.$/s);
  }
}

describe("runs in a Redis", { timeout: 120_000 }, () => {
  it(
    verifies(["E1", "E2"], "that is stopped in the middle go on once it is back, and do no step twice"),
    async () => {
      const { redis, client, url, done } = await scene();
      const one = await client.call("booking");
      await redis.stop();

      const refused = await client.accept(one, { "ask-1": "Rome" });
      const ready = await fetch(`${url}/readyz`);
      await redis.start();
      const two = await insist(() => client.accept(one, { "ask-1": "Rome" }));
      const last = await insist(() => client.accept(two, { "ask-2": true }));

      expect(refused.answer.error?.message).toMatch(/cannot be used/);
      expect(ready.status).toBe(503);
      expect(textOf(last.answer)).toBe("Rome true");
      expect(done).toEqual(["hold", "book"]);
    },
  );

  it(
    verifies("E2", "that takes nothing more refuse what would be lost, and go on when it does"),
    async () => {
      const { redis, client, done, reported } = await scene();
      const one = await client.call("booking");
      await redis.say("CONFIG", "SET", "maxmemory", "1");

      const refused = await client.accept(one, { "ask-1": "Rome" });
      await redis.say("CONFIG", "SET", "maxmemory", "0");
      const two = await insist(() => client.accept(one, { "ask-1": "Rome" }));

      expect(refused.answer.error?.message).toMatch(/cannot be used: it is full/);
      expect(reported).toContainEqual(expect.objectContaining({ code: "STORE_UNAVAILABLE" }));
      expect(Object.keys(questionsIn(two))).toEqual(["ask-2"]);
      expect(done).toEqual(["hold"]);
    },
  );

  it(
    verifies(["E2", "E6"], "that is stopped are told so over HTTP too, by whoever asks the inbox"),
    async () => {
      const { redis, client, url } = await scene();
      await client.call("booking");
      const listed = (await (await fetch(`${url}/inbox`)).json()) as { runs: readonly [{ run: string }] };
      const at = `${url}/inbox/${listed.runs[0].run}`;
      const said = JSON.stringify({ key: "ask-1", action: "accept", value: "Rome" });
      const answer = (): Promise<Response> =>
        fetch(at, { method: "POST", headers: { "content-type": "application/json" }, body: said });
      await redis.stop();

      const refused = await Promise.all([fetch(`${url}/inbox`), fetch(at), answer()]);
      await redis.start();

      for (const response of refused) {
        expect(response.status).toBe(503);
        expect(await response.json()).toEqual({
          error: { code: "STORE_UNAVAILABLE", message: expect.stringMatching(/it may be sent again\.$/) },
        });
      }
      await expect.poll(async () => (await answer()).status).toBe(200);
    },
  );

  it(verifies("E2", "that stands still for a while wait for it, or are told so"), async () => {
    const { redis, client, done } = await scene();
    const one = await client.call("booking");
    await redis.say("CLIENT", "PAUSE", "1000", "ALL");

    const two = await insist(() => client.accept(one, { "ask-1": "Rome" }));

    expect(Object.keys(questionsIn(two))).toEqual(["ask-2"]);
    expect(done).toEqual(["hold"]);
  });
});
