/**
 * Two hundred clients for a while, half over WebSocket and half over Streamable HTTP, that ask, answer, cancel and
 * vanish as chance has it: afterwards nothing is left.
 *
 * 20,000 calls; `PHOTON_SOAK=10` makes it ten times as many.
 */
import { ask, emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { overHttp, overWebSocket, type HttpClient } from "./wire/carriers.ts";
import { countingClock } from "./wire/counting-clock.ts";
import { Random } from "./wire/random.ts";
import { callOf, textOf, type RawClient } from "./wire/raw-client.ts";
import { listening } from "./wire/stages.ts";

const FACTOR = Number(process.env["PHOTON_SOAK"] ?? 1);
const CLIENTS = 200;
const CALLS = 20_000 * FACTOR;
const SEED = 1116;

let begun = 0;
let ended = 0;
const greet = tool({
  name: "greet",
  input: { type: "object", properties: { twice: { type: "boolean" } } },
  async *run({ twice = false }) {
    begun += 1;
    try {
      yield emit.status("Wondering");
      const name = yield* ask.text("Name?");
      if (twice && !(yield* ask.confirm(`Is it ${name}?`))) return "Hello, stranger";
      return `Hello, ${name}`;
    } finally {
      ended += 1;
    }
  },
});

interface Tally {
  answered: number;
  cancelled: number;
  vanished: number;
  reconnected: number;
}

type Client = RawClient & Partial<HttpClient>;

/** One call of a client's. Gives whether the client is still there after it. */
async function callOnce(client: Client, random: Random, tally: Tally): Promise<boolean> {
  const twice = random.happens(0.2);
  const id = client.begin("tools/call", callOf("greet", { twice }, { progressToken: "p" }));
  const question = await client.hear();
  if (random.happens(0.02)) {
    tally.vanished += 1;
    await client.hangUp();
    return false;
  }
  if (random.happens(0.04)) {
    tally.cancelled += 1;
    await client.notify("notifications/cancelled", { requestId: id });
    await client.hear("notifications/cancelled");
    return true;
  }
  if (client.reconnect !== undefined && random.happens(0.04)) {
    tally.reconnected += 1;
    await client.reconnect();
  }
  await client.accept(question, "Ada");
  const isSure = random.happens(0.5);
  if (twice) await client.accept(await client.hear(), isSure);
  expect(textOf(await client.answerTo(id))).toBe(twice && !isSure ? "Hello, stranger" : "Hello, Ada");
  tally.answered += 1;
  return true;
}

describe("soak", () => {
  it(
    verifies(
      ["C1", "B8"],
      `leaves nothing behind after ${CALLS} calls of ${CLIENTS} clients that vanish as they like`,
    ),
    { timeout: 120_000 * FACTOR },
    async () => {
      const clock = countingClock();
      const warnings: Error[] = [];
      const warned = (warning: Error): void => void warnings.push(warning);
      process.on("warning", warned);
      const { server, url } = await listening({ tools: [greet], clock });
      const tally: Tally = { answered: 0, cancelled: 0, vanished: 0, reconnected: 0 };

      await Promise.all(
        Array.from({ length: CLIENTS }, async (_, index) => {
          const random = new Random(SEED + index);
          const connect = async (): Promise<Client> => {
            const client: Client = await (index % 2 === 0 ? overWebSocket(url) : overHttp(url));
            await client.initialize();
            return client;
          };
          let client = await connect();
          for (let call = 0; call < CALLS / CLIENTS; call++)
            if (!(await callOnce(client, random, tally))) client = await connect();
          await client.hangUp();
        }),
      );

      // Every client has hung up; the server has heard of the last of them a few turns later.
      while (server.sessions > 0) await fetch(`${url}/healthz`);
      expect(begun).toBe(CALLS);
      expect(ended).toBe(CALLS);
      expect(tally.answered + tally.cancelled + tally.vanished).toBe(CALLS);
      expect(Math.min(tally.cancelled, tally.vanished, tally.reconnected)).toBeGreaterThan(CALLS / 100);
      expect(clock.running).toBe(0);
      expect(warnings).toEqual([]);
      process.off("warning", warned);

      await server.close();
      expect(server.sessions).toBe(0);
    },
  );
});
