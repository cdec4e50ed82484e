/**
 * A client on a session comes back with Last-Event-ID, because its process was killed, at the moment at which its question is
 * answered in the inbox. Two processes may then continue the run: that of the inbox, and the one that the client reaches.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { scaled } from "../long.ts";
import { verifies } from "../requirements.ts";
import { Deployment, storeKinds } from "./deployment.ts";
import { answerInInbox, openQuestions } from "./inbox.ts";
import { Later } from "./later.ts";
import { Random } from "../../packages/server/test/wire/random.ts";
import type { ServerProcess } from "./server-process.ts";
import { isReconnection, never, SessionClient, type Outcome } from "./session-client.ts";

const ROUNDS = scaled(20);
const CLIENTS = 5;
const SEED = 20_261;
/** How long before or after the client the answer comes, at most. */
const MOST_OFFSET_MS = 30;

/** A client whose call is open at its first question, and that comes back to a process when the test says so. */
class ReturningClient {
  readonly client: SessionClient;
  readonly guest: string;
  readonly outcome: Promise<Outcome>;
  readonly #returns: Later<void>;
  readonly #server: Later<ServerProcess>;

  private constructor(
    client: SessionClient,
    guest: string,
    returns: Later<void>,
    server: Later<ServerProcess>,
  ) {
    this.client = client;
    this.guest = guest;
    this.#returns = returns;
    this.#server = server;
    this.outcome = client.call("book", { guest });
  }

  static async open({ url: own }: ServerProcess, guest: string): Promise<ReturningClient> {
    const returns = new Later<void>();
    const server = new Later<ServerProcess>();
    let hasLost = false;
    const client = await SessionClient.connect(own, {
      answer: (message) => (message === "With breakfast?" ? true : never()),
      async fetch(url, init) {
        hasLost ||= isReconnection(init);
        if (!hasLost) return fetch(url, init);
        returns.give();
        return fetch(`${(await server.given).url}/mcp`, init);
      },
    });
    const returning = new ReturningClient(client, guest, returns, server);
    await client.untilAsked(`How many nights for ${guest}?`);
    return returning;
  }

  /** Settles when the client has a request with Last-Event-ID to send. */
  get returns(): Promise<void> {
    return this.#returns.given;
  }

  /** Has that request sent. */
  returnTo(server: ServerProcess): void {
    this.#server.give(server);
  }
}

describe.each(storeKinds)("on %s", (kind) => {
  it.each([
    // The server tells its clients to come back after a second.
    ["while the lease of its process lasts", "4s"],
    ["after the lease of its process", "300ms"],
  ])(
    verifies(
      ["C9", "E4"],
      "a client that returns %s is given the question or the result, also when the inbox is answered at that moment",
    ),
    { timeout: 60_000 + ROUNDS * 10_000 },
    async (_, lease) => {
      const deployment = await Deployment.create(kind, { tools: "booking.mjs", lease });
      onTestFinished(() => deployment.close());
      const random = new Random(SEED);
      const others = await Promise.all([deployment.start(), deployment.start()]);
      const tries: { readonly offset: number; readonly outcome: Outcome }[] = [];

      for (let round = 0; round < ROUNDS; round += 1) {
        const own = await deployment.start();
        const clients = await Promise.all(
          Array.from({ length: CLIENTS }, (__, index) => ReturningClient.open(own, `${round}-${index}`)),
        );
        onTestFinished(async () => {
          for (const { client } of clients) await client.close();
        });
        const questions = await openQuestions(others[0].url);
        await own.kill();
        await Promise.all(clients.map(({ returns }) => returns));
        const returning = clients.map(async (client) => {
          const question = questions.find(({ message }) => message.includes(` ${client.guest}?`));
          const offset = random.between(-MOST_OFFSET_MS, MOST_OFFSET_MS);
          const [returnedTo, answeredAt] = [random.pick(others), random.pick(others)];
          await Promise.all([
            pause(MOST_OFFSET_MS).then(() => client.returnTo(returnedTo)),
            pause(MOST_OFFSET_MS + offset).then(() =>
              answerInInbox(answeredAt.url, question ?? { run: "", key: "" }, 3),
            ),
          ]);
          tries.push({ offset, outcome: await client.outcome });
        });
        await Promise.all(returning);
      }

      expect(tries.filter(({ outcome }) => !isBooked(outcome))).toEqual([]);
      expect(tries).toHaveLength(ROUNDS * CLIENTS);
      expect(new Set(deployment.stepKeys).size).toBe(2 * ROUNDS * CLIENTS);
      expect(deployment.stepKeys).toHaveLength(2 * ROUNDS * CLIENTS);
    },
  );
});

const isBooked = (outcome: Outcome): boolean =>
  "result" in outcome && outcome.result["structuredContent"] !== undefined;
