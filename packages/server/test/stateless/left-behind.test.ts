/** What a call of 2026-07-28 leaves behind while it waits, and once it is over: as little as can be. */
import { ServerResponse } from "node:http";
import { queryObjects } from "node:v8";
import { ask, tool } from "@photon/core";
import { describe, expect, it, vi } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { StatelessCall } from "../../src/stateless/stateless-call.ts";
import { RequestAttempt } from "../../src/stateless/pending-request.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { heldOnHeap } from "../wire/retained.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { accepted, textOf } from "../../../../test/clients/raw-client.ts";
import { greet, Witness } from "../wire/tools.ts";

const MINUTE = 60_000;
const count = (kind: Parameters<typeof queryObjects>[0]): number => queryObjects(kind, { format: "count" });

describe("a call that waits", () => {
  it("holds no request, no response and no signal of whoever called", { timeout: 20_000 }, async () => {
    const { client, server } = await serveStateless({ tools: [greet] });
    const asked = await client.call("greet");
    // The first is paid for by whatever is made once.
    await client.retry(asked, accepted({ "ask-1": "Ada" }));
    const before = { signals: heldOnHeap(["signals"]).signals, responses: count(ServerResponse) };

    for (let calls = 0; calls < 50; calls++)
      await client.call("greet", {}, { meta: { progressToken: calls } });

    expect(server.parked).toBe(50);
    await vi.waitFor(() => {
      expect(heldOnHeap(["signals"]).signals).toBeLessThanOrEqual((before.signals ?? 0) + 2);
      expect(count(ServerResponse)).toBeLessThanOrEqual(before.responses + 2);
    }, 10_000);
  });

  it("holds no line: the one it came in on is gone once it is closed", { timeout: 20_000 }, async () => {
    const stage = await statelessTransports.websocket({ tools: [greet] });
    const client = await stage.connect();
    const asked = await client.call("greet", {}, { meta: { progressToken: 1 } });
    await client.call("greet");

    await client.close();
    while (stage.server.sessions > 0) await new Promise(setImmediate);

    expect(stage.server.parked).toBe(2);
    await vi.waitFor(() => expect(heldOnHeap(["sessions"])).toEqual({ sessions: 0 }), 10_000);
    const other = await stage.connect();
    expect(textOf((await other.accept(asked, { "ask-1": "Ada" })).answer)).toBe("Hello, Ada");
  });

  it.each([
    ["websocket", statelessTransports.websocket],
    ["streamable http", statelessTransports["streamable http"]],
  ])(
    verifies("B8", "is forgotten over %s once its time is over: no conversation, no leg, no timer"),
    { timeout: 20_000 },
    async (_, set) => {
      const clock = countingClock();
      const witness = new Witness();
      const asking = tool({
        name: "asking",
        async *run() {
          try {
            return yield* ask.text("Name?");
          } finally {
            witness.end("asking");
          }
        },
      });
      const stage = await set({ tools: [asking], clock });
      const client = await stage.connect();
      for (let calls = 0; calls < 20; calls++) await client.call("asking");
      const asked = await client.call("asking");
      await client.retry(asked, accepted({ "ask-1": "Ada" }));
      expect(stage.server.parked).toBe(20);

      clock.leap(15 * MINUTE);
      await witness.afterEnd(21);
      while (stage.server.parked > 0) await client.request("server/discover");
      await client.close();

      await vi.waitFor(() => expect([count(StatelessCall), count(RequestAttempt)]).toEqual([0, 0]), 10_000);
      while (stage.server.sessions > 0) await new Promise(setImmediate);
      expect(clock.running).toBe(0);
    },
  );
});

describe("a call that is over", () => {
  it("is nothing but its outcome, until its state has expired", { timeout: 20_000 }, async () => {
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [greet], clock });
    for (let calls = 0; calls < 20; calls++) {
      const asked = await client.call("greet");
      await client.retry(asked, accepted({ "ask-1": "Ada" }));
    }

    await vi.waitFor(() => expect([count(StatelessCall), count(RequestAttempt)]).toEqual([0, 0]), 10_000);
    expect(clock.running).toBe(1);
    clock.leap(15 * MINUTE);

    await vi.waitFor(() => expect(clock.running).toBe(0), 10_000);
  });

  it("without a question leaves nothing at all", { timeout: 20_000 }, async () => {
    const plain = tool({
      name: "plain",
      async *run() {
        return "done";
      },
    });
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [plain], clock });

    for (let calls = 0; calls < 20; calls++) expect(textOf((await client.call("plain")).answer)).toBe("done");

    await vi.waitFor(() => expect([count(StatelessCall), count(RequestAttempt)]).toEqual([0, 0]), 10_000);
    expect(clock.running).toBe(0);
  });
});

describe("a body that never ends", () => {
  it("costs no more than the grace of it once it was given up", async () => {
    const clock = countingClock();
    const stuck = tool({
      name: "stuck",
      async *run() {
        yield* ask.text("Name?");
        await new Promise(() => {});
      },
    });
    const { client, server } = await serveStateless({ tools: [stuck], clock });
    const asked = await client.call("stuck");
    const call = client.beginRetry(asked, accepted({ "ask-1": "Ada" }));
    await client.request("server/discover");

    await call.leave();
    await client.request("server/discover");
    clock.leap(6000);
    while (server.parked > 0) await client.request("server/discover");
    const again = await client.retry(asked, accepted({ "ask-1": "Ada" }));

    expect(again.answer.error?.message).toContain("is over");
  });
});
