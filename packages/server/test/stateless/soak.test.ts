/**
 * Calls that chance has its way with: requests are sent twice, given up in the middle, sent elsewhere, and sent again
 * with what was true before. Whatever happens, who goes on with their newest state comes to the right end.
 */
import { randomBytes } from "node:crypto";
import { ask, emit, step, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { serveStateless } from "../wire/servers.ts";
import {
  type Exchange,
  type StatelessClient,
  accepted,
  codeIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { Random } from "../wire/random.ts";

const SEED = 20_261_116;
const CALLS = 60;
const ROUNDS = 3;
const keys = [randomBytes(32).toString("base64")];

interface Tally {
  begun: number;
  ended: number;
  /** The idempotency keys of every time that a step was done. */
  readonly steps: string[];
}

/** Asks, works for a moment, and does a step, several times. */
function wizard(tally: Tally, random: Random): Tool<never> {
  return tool({
    name: "wizard",
    durable: true,
    async *run(_, { signal }) {
      tally.begun += 1;
      try {
        const said = [];
        for (let round = 1; round <= ROUNDS; round++) {
          said.push(yield* ask.text(`Word ${round}?`));
          yield emit.status(`Word ${round}`);
          await moment(random.below(8), signal);
          yield* step("write", ({ key }) => {
            tally.steps.push(key);
          });
        }
        return said.join(" ");
      } finally {
        tally.ended += 1;
      }
    },
  });
}

function moment(wait: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, wait);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const answerTo = (round: number): ReturnType<typeof accepted> => accepted({ [`ask-${round}`]: `w${round}` });

class Caller {
  readonly #clients: readonly StatelessClient[];
  readonly #random: Random;

  constructor(clients: readonly StatelessClient[], random: Random) {
    this.#clients = clients;
    this.#random = random;
  }

  /** Makes one call to its end; gives the result. */
  async call(): Promise<string> {
    let received = await this.#anyone().call("wizard");
    const before: Exchange[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const next = await this.#retry(received, round);
      const old = before.length > 0 && this.#random.happens(0.2) ? this.#random.pick(before) : undefined;
      // Whatever comes of it: nothing that was true before changes what is true now.
      if (old !== undefined) await this.#anyone().retry(old, accepted({ "ask-1": "other" }));
      before.push(received);
      received = next;
    }
    return textOf(received.answer);
  }

  async #retry(received: Exchange, round: number): Promise<Exchange> {
    const answers = answerTo(round);
    const token = { meta: { progressToken: round } };
    if (this.#random.happens(0.2)) {
      const given = this.#anyone().beginRetry(received, answers, token);
      await moment(this.#random.below(10));
      await given.leave();
    }
    const client = this.#anyone();
    const retries = [client.retry(received, answers, token)];
    if (this.#random.happens(0.3)) retries.push(client.retry(received, answers));
    const outcomes = await Promise.all(retries);
    const [first] = outcomes as [Exchange, ...Exchange[]];
    const results = new Set(outcomes.map(({ answer }) => JSON.stringify(answer.result)));
    if (results.size > 1 || codeIn(first) !== undefined)
      throw new Error(`Round ${round} came to ${[...results].join(" and to ")}.`);
    return first;
  }

  #anyone(): StatelessClient {
    return this.#random.pick(this.#clients);
  }
}

describe("calls that chance has its way with", () => {
  it(
    verifies(["C6", "E1", "E3", "B8"], "all come to the right end, on two servers, and leave nothing behind"),
    { timeout: 60_000 },
    async () => {
      const random = new Random(SEED);
      const tally: Tally = { begun: 0, ended: 0, steps: [] };
      const clock = countingClock();
      const options = { tools: [wizard(tally, random)], keys, clock };
      const homes = [await serveStateless(options), await serveStateless(options)];
      const clients = homes.map(({ client }) => client);

      const results = await Promise.all(
        Array.from({ length: CALLS }, () => new Caller(clients, random).call()),
      );

      expect(results).toEqual(Array.from({ length: CALLS }, () => "w1 w2 w3"));
      const runs = new Set(tally.steps.map((key) => key.split("/")[0]));
      expect(runs.size).toBe(CALLS);
      expect(new Set(tally.steps).size).toBe(CALLS * ROUNDS);
      // What waits where the call did not go on is closed when its time is over.
      clock.leap(8 * 24 * 3_600_000);
      for (const { server, client } of homes)
        while (server.parked > 0) await client.request("server/discover");
      for (const { server } of homes) await server.close();
      expect(clock.running).toBe(0);
    },
  );
});
