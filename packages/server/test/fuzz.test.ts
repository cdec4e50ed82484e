/**
 * Nonsense on every transport: nothing crashes, nothing hangs, others are served.
 *
 * 10,000 messages on each, of which `npm run test:long` sends 100,000. Over HTTP a request for each would measure Node's
 * HTTP server: there, one of twenty comes by itself and the rest in batches of 50, which 2025-03-26 has.
 */
import { ask, resource, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { scaled } from "../../../test/long.ts";
import { verifies } from "../../../test/requirements.ts";
import { transports } from "./wire/servers.ts";
import type { Message } from "../../../test/clients/messages.ts";
import { type RawClient, textOf } from "../../../test/clients/raw-client.ts";
import { anything, mutated, nonsense } from "./wire/random-messages.ts";
import { Random } from "./wire/random.ts";
import { echo } from "./wire/tools.ts";

const MESSAGES = scaled(100_000);
const ALONE_OVER_HTTP = MESSAGES / 20;
const SEED = 20_261_116;

const ways = [
  ["stdio", transports.stdio, MESSAGES],
  ["websocket", transports.websocket, MESSAGES],
  ["sse", transports.sse, ALONE_OVER_HTTP],
  ["streamable http", transports["streamable http"], ALONE_OVER_HTTP],
] as const;

let begun = 0;
let ended = 0;
const greet = tool({
  name: "greet",
  async *run() {
    begun += 1;
    try {
      return `Hello, ${yield* ask.text("Name?", { retries: 2 })}`;
    } finally {
      ended += 1;
    }
  },
});

const page = resource({
  uri: "page://{number}",
  complete: { number: () => ["1", "2"] },
  async *run({ number }) {
    return number;
  },
});

/** The ids of the last questions the client was asked. */
function openQuestions({ messages }: RawClient): readonly unknown[] {
  return messages.all
    .slice(-200)
    .flatMap((message) =>
      (message as Message).method === "elicitation/create" ? [(message as Message).id] : [],
    );
}

/** Settles when everything sent before was looked at. */
async function caughtUp(client: RawClient, name: string): Promise<void> {
  void client.send({ jsonrpc: "2.0", id: name, method: "ping" });
  await client.answerTo(name);
}

describe("nonsense", () => {
  it.each(ways)(
    verifies("C1", "over %s crashes nothing, hangs nothing, and costs nobody else anything"),
    { timeout: 120_000 + MESSAGES },
    async (name, set, alone) => {
      const random = new Random(SEED);
      const stage = await set({
        tools: [echo, greet],
        resources: [page],
        askTimeout: "200ms",
        limits: { runsPerSession: 1_000_000, asksPerSession: 1_000_000, subscriptions: 10 },
      });
      const bad = await stage.connect();
      await bad.initialize(alone < MESSAGES ? "2025-03-26" : "2025-11-25");
      const good = await stage.connect();
      await good.initialize();
      const over = new AbortController();
      const served = (async () => {
        let count = 0;
        for (; !over.signal.aborted; count++)
          expect(textOf(await good.callTool("echo", { text: `${count}` }))).toBe(`${count}`);
        return count;
      })();

      for (let sent = 0; sent < alone; sent += 500) {
        const ids = openQuestions(bad);
        await Promise.all(Array.from({ length: 500 }, () => bad.sendText(nonsense(random, ids))));
        await caughtUp(bad, `after ${sent}`);
      }
      for (let sent = alone; sent < MESSAGES; sent += 500) {
        const ids = openQuestions(bad);
        const batch = (): unknown[] =>
          Array.from({ length: 50 }, () => (random.happens(0.2) ? anything(random) : mutated(random, ids)));
        await Promise.all(Array.from({ length: 10 }, () => bad.send(batch())));
        await caughtUp(bad, `after ${sent}`);
      }
      over.abort();

      expect(await served, `calls served beside the nonsense over ${name}`).toBeGreaterThan(MESSAGES / 1000);
      expect(bad.messages.all.length).toBeGreaterThan(MESSAGES / 100);
      const fresh = await stage.connect();
      await fresh.initialize();
      expect(textOf(await fresh.callTool("echo", { text: "fine" }))).toBe("fine");
      await stage.server.close();
      expect(stage.server.sessions).toBe(0);
      expect(ended).toBe(begun);
      expect(begun).toBeGreaterThan(MESSAGES / 1000);
    },
  );
});
