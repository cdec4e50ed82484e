/** Questions, states and parked calls expire (ARCHITECTURE.md §2.4). */
import { ask, tool, type Timeout, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless } from "../wire/servers.ts";
import { accepted, codeIn, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Gate } from "../wire/gate.ts";
import { Witness, witnessed } from "../wire/tools.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

function asking(witness: Witness, timeout?: Timeout, durable = false): Tool<never> {
  return tool({
    name: "asking",
    durable,
    async *run() {
      try {
        return `Hello, ${yield* ask.text("Name?", timeout === undefined ? {} : { timeout })}`;
      } finally {
        witness.end("asking");
      }
    },
  });
}

describe("a question whose time is over", () => {
  it(verifies(["B2", "C6"], "is told so by a retry within ten minutes, whatever that brings"), async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { client } = await serveStateless({ tools: [asking(witness)], clock });
    const [one, two] = [await client.call("asking"), await client.call("asking")];

    clock.leap(5 * MINUTE);
    const late = await client.accept(one, { "ask-1": "Ada" });
    clock.leap(9 * MINUTE);
    const later = await client.retry(two);

    for (const received of [late, later]) {
      expect(received.answer.result).toMatchObject({ resultType: "complete", isError: true });
      expect(textOf(received.answer)).toBe('No answer to "Name?" (ask-1) arrived in time.');
    }
    expect(witness.ended).toHaveLength(2);
  });

  it("is answered until then", async () => {
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [asking(new Witness())], clock });
    const asked = await client.call("asking");

    clock.leap(5 * MINUTE - 1000);
    const done = await client.accept(asked, { "ask-1": "Ada" });

    expect(textOf(done.answer)).toBe("Hello, Ada");
  });

  it(
    verifies(["B2", "B8", "C6"], "is closed after ten minutes: the body has ended, and its state is -32602"),
    async () => {
      const clock = countingClock();
      const witness = new Witness();
      const { client, server } = await serveStateless({ tools: [asking(witness)], clock });
      const asked = await client.call("asking");
      clock.leap(15 * MINUTE - 1000);
      expect({ parked: server.parked, ended: witness.ended }).toEqual({ parked: 1, ended: [] });

      clock.leap(1000);
      await witness.afterEnd();
      const late = await client.accept(asked, { "ask-1": "Ada" });

      expect(late.answer.error).toMatchObject({ code: -32602, message: "Invalid or expired requestState." });
      expect(server.parked).toBe(0);
    },
  );

  it("is no longer replayed, either", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { client, server } = await serveStateless({ tools: [asking(witness, "5m", true)], clock });
    const asked = await client.call("asking");

    clock.leap(15 * MINUTE);
    await witness.afterEnd();

    expect(codeIn(await client.accept(asked, { "ask-1": "Ada" }))).toBe(-32602);
    expect(server.parked).toBe(0);
  });

  it.each<[Timeout | undefined, boolean, number]>([
    [undefined, false, 5 * MINUTE],
    ["30s", false, MINUTE / 2],
    ["2d", false, 2 * DAY],
    [undefined, true, 7 * DAY],
    ["none", false, 3 * DAY],
    ["none", true, 3 * DAY],
  ])("has as long as it says (%s, durable: %s): %d ms", async (timeout, durable, wait) => {
    const clock = countingClock();
    const witness = new Witness();
    const { client } = await serveStateless({
      tools: [asking(witness, timeout, durable)],
      clock,
      maxWait: "3d",
    });
    const asked = await client.call("asking");

    clock.leap(wait + 10 * MINUTE - 1000);
    expect(witness.ended).toEqual([]);
    const late = await client.accept(asked, { "ask-1": "Ada" });
    expect(textOf(late.answer)).toBe(
      timeout === "none" ? "Hello, Ada" : 'No answer to "Name?" (ask-1) arrived in time.',
    );
    await client.call("asking");
    clock.leap(wait + 10 * MINUTE);

    await witness.afterEnd(2);
  });

  it("is one of several: the others of its round are not asked any more", async () => {
    const clock = countingClock();
    const both = tool({
      name: "both",
      async *run() {
        const { a, b } = yield* ask.all({ a: ask.text("A?", { timeout: "1m" }), b: ask.text("B?") });
        return a + b;
      },
    });
    const { client } = await serveStateless({ tools: [both], clock });
    const asked = await client.call("both");

    clock.leap(2 * MINUTE);
    const late = await client.accept(asked, { a: "1", b: "2" });

    expect(textOf(late.answer)).toBe('No answer to "A?" (a) arrived in time.');
  });

  it(verifies("B1", "is what the author said it is, where they did"), async () => {
    const clock = countingClock();
    const soft = tool({
      name: "soft",
      async *run() {
        const mood = yield* ask.text("Mood?", { fallback: { timeout: "calm" } });
        return `${mood}, ${yield* ask.text("Name?")}`;
      },
    });
    const { client } = await serveStateless({ tools: [soft], clock });
    const asked = await client.call("soft");

    clock.leap(6 * MINUTE);
    const next = await client.accept(asked, { "ask-1": "merry" });
    const done = await client.accept(next, { "ask-2": "Ada" });

    expect(Object.keys(questionsIn(next))).toEqual(["ask-2"]);
    expect(textOf(done.answer)).toBe("calm, Ada");
  });
});

describe("the time that a person takes", () => {
  it(verifies("B9", "is not the tool's: its limit stands still while it is asked"), async () => {
    const clock = countingClock();
    const gate = new Gate();
    const limited = tool({
      name: "limited",
      limit: "10s",
      async *run(_, { signal }) {
        const name = yield* ask.text("Name?");
        if (name === "nobody") await gate.passed(signal);
        return `Hello, ${name}`;
      },
    });
    const { client } = await serveStateless({ tools: [limited], clock });
    const [one, two] = [await client.call("limited"), await client.call("limited")];

    clock.leap(4 * MINUTE);
    const done = await client.accept(one, { "ask-1": "Ada" });
    const slow = client.beginRetry(two, accepted({ "ask-1": "nobody" }));
    await gate.reached;
    clock.leap(10_000);

    expect(textOf(done.answer)).toBe("Hello, Ada");
    expect(textOf((await slow.received).answer)).toContain("worked for longer than its limit of 10 s");
  });
});

describe("what waits", () => {
  it("needs one timer, however many wait; and none once nobody does", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { client, server } = await serveStateless({ tools: [witnessed(witness)], clock });
    for (let at = 0; at < 20; at++) {
      await client.call("witnessed");
      clock.leap(1000);
    }
    expect(clock.running).toBe(1);

    clock.leap(15 * MINUTE - 10_500);
    await witness.afterEnd(10);
    while (server.parked > 10) await client.request("server/discover");
    expect(clock.running).toBe(1);
    clock.leap(15 * MINUTE);
    await witness.afterEnd(20);
    while (server.parked > 0) await client.request("server/discover");

    expect(clock.running).toBe(0);
  });

  it("is closed in its time, also where what was to end first has ended otherwise", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { client } = await serveStateless({ tools: [asking(witness, "1m"), witnessed(witness)], clock });
    const short = await client.call("asking");
    await client.call("witnessed");
    await client.accept(short, { "ask-1": "Ada" });

    clock.leap(15 * MINUTE);

    await witness.afterEnd(2);
    expect(witness.ended).toEqual(["asking", "witnessed"]);
  });

  it("lets a body take its time to end, and the others with it", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const stubborn = tool({
      name: "stubborn",
      async *run() {
        try {
          yield* ask.text("Name?");
        } finally {
          await new Promise(() => {});
        }
      },
    });
    const { client, server } = await serveStateless({ tools: [stubborn, witnessed(witness)], clock });
    await client.call("stubborn");
    await client.call("witnessed");

    clock.leap(15 * MINUTE);
    await witness.afterEnd();
    while (server.parked > 1) await client.request("server/discover");
    clock.leap(6000);
    while (server.parked > 0) await client.request("server/discover");

    expect(clock.running).toBe(0);
  });
});
