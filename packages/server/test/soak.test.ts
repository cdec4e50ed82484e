/**
 * Two hundred clients for a while, half over WebSocket and half over Streamable HTTP, that are asked, answer, cancel,
 * leave and vanish as chance has it: afterwards nothing is left.
 *
 * 2,000 calls, of which `npm run test:long` makes 20,000.
 */
import { ask, emit, tool } from "@photon/core";
import { describe, expect, it, vi } from "vitest";
import { scaled } from "../../../test/long.ts";
import { verifies } from "../../../test/requirements.ts";
import { countingClock } from "./wire/counting-clock.ts";
import { heldOnHeap, openInProcess } from "./wire/retained.ts";
import { Random } from "./wire/random.ts";
import { Soaking, type Tally } from "./wire/soak-client.ts";
import { listening } from "./wire/servers.ts";

const CLIENTS = 200;
const CALLS = scaled(20_000);
const SEED = 1116;
const ASK_TIMEOUT = 5 * 60_000;
const IDLE = 30 * 60_000;
/** The server hears of the last clients a few turns later. */
const SOON = { timeout: 20_000 };

const bodies = { begun: 0, ended: 0 };
const greet = tool({
  name: "greet",
  input: { type: "object", properties: { twice: { type: "boolean" } } },
  async *run({ twice = false }, { signal }) {
    bodies.begun += 1;
    // What a body leaves at its signal goes with it.
    signal.addEventListener("abort", () => {});
    try {
      yield emit.status("Wondering");
      const name = yield* ask.text("Name?");
      if (twice && !(yield* ask.confirm(`Is it ${name}?`))) return "Hello, stranger";
      return `Hello, ${name}`;
    } finally {
      bodies.ended += 1;
    }
  },
});

/** A turn for sockets. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Lets all the clients make all the calls, and take their leave in the end. */
async function soak(url: string): Promise<Tally> {
  const tally: Tally = {
    answered: 0,
    wrong: [],
    cancelled: 0,
    closedCount: 0,
    cutCount: 0,
    reconnected: 0,
    idleSessions: 0,
  };
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, index) => {
      const carrier = index % 2 === 0 ? "websocket" : "http";
      const client = new Soaking(url, carrier, new Random(SEED + index), tally);
      const last = await client.call(CALLS / CLIENTS);
      await last.close();
    }),
  );
  return tally;
}

describe("soak", () => {
  it(
    verifies(
      ["C1", "B8"],
      `leaves nothing behind after ${CALLS} calls of ${CLIENTS} clients that leave and vanish as they like`,
    ),
    { timeout: 120_000 + 6 * CALLS },
    async () => {
      const clock = countingClock();
      const { listeners } = openInProcess();
      // A question that was not let go of would keep its session from asking another.
      const limits = { asksPerSession: 1, runsPerSession: 1 };
      const { server, url } = await listening({ tools: [greet], clock, limits });
      // What a server has without any clients.
      const nothing = heldOnHeap();
      expect(nothing).toMatchObject({ sessions: 0, httpSessions: 0, pendingRequests: 0, calls: 0 });
      const warnings: Error[] = [];
      // That counting is an experiment of Node's own is not the server's doing.
      const warned = (warning: Error): void => {
        if (warning.name !== "ExperimentalWarning") warnings.push(warning);
      };
      process.on("warning", warned);

      const { idleSessions, reconnected, wrong, ...came } = await soak(url);
      expect(wrong).toEqual([]);
      expect(came.answered + came.cancelled + came.closedCount + came.cutCount).toBe(CALLS);
      expect(bodies.begun).toBe(CALLS);
      expect(Math.min(reconnected, came.cancelled, came.closedCount, came.cutCount)).toBeGreaterThan(
        CALLS / 100,
      );

      // Whoever vanished from Streamable HTTP might come back; their sessions are all that is left.
      await vi.waitFor(() => {
        expect(heldOnHeap()).toMatchObject({
          sessions: idleSessions,
          httpSessions: idleSessions,
          pendingRequests: idleSessions,
          calls: bodies.begun - bodies.ended,
        });
      }, SOON);
      clock.leap(ASK_TIMEOUT);
      while (bodies.ended < bodies.begun) await turn();
      while (server.sessions > 0) {
        clock.leap(IDLE);
        await turn();
      }

      await vi.waitFor(() => expect(heldOnHeap()).toEqual(nothing), SOON);
      process.off("warning", warned);
      while (openInProcess().sockets + openInProcess().timers > 0) await turn();
      expect(clock.running).toBe(0);
      expect(openInProcess()).toEqual({ sockets: 0, timers: 0, listeningSockets: 1, listeners });
      expect(warnings).toEqual([]);

      await server.close();
      while (openInProcess().listeningSockets > 0) await turn();
      expect(openInProcess()).toMatchObject({ sockets: 0, listeners });
    },
  );
});
