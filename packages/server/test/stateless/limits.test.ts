/** The limits on requests of 2026-07-28. */
import { randomBytes } from "node:crypto";
import { ask, step, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { ServerOptions } from "../../src/index.ts";
import { serveStateless, listening } from "../wire/servers.ts";
import { overConnection, overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import {
  type Exchange,
  StatelessClient,
  accepted,
  callOf,
  codeIn,
  questionsIn,
  stateIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { Gate } from "../wire/gate.ts";
import { echo, greet, Witness, witnessed } from "../wire/tools.ts";

const OVER_LIMIT = -31001;
const keys = [randomBytes(32).toString("base64")];
const ada = accepted({ "ask-1": "Ada" });

function waiting(gate: Gate): Tool<never> {
  return tool({
    name: "waiting",
    async *run(_, { signal }) {
      await gate.passed(signal);
      return "done";
    },
  });
}

describe("the limit of requests at once", () => {
  it(
    verifies("C5", "refuses one more but for a discovery, and takes it when one has its answer"),
    async () => {
      const gate = new Gate();
      const { client } = await serveStateless({
        tools: [echo, waiting(gate)],
        limits: { statelessRequests: 2 },
      });
      const call = client.begin("tools/call", callOf("waiting"));
      const listener = client.begin("subscriptions/listen", { notifications: {} });
      await Promise.all([gate.reached, listener.messages.next()]);

      for (const method of ["prompts/list", "tools/list"]) {
        const refused = await client.request(method);
        expect(refused.status).toBe(400);
        expect(refused.answer.error).toEqual({
          code: OVER_LIMIT,
          message: "This server has reached its limit of requests being answered (2); try again later.",
        });
      }
      // A client that only tries what is spoken here would take a refusal for the word of an older server.
      expect((await client.request("server/discover")).answer).toHaveProperty("result");
      gate.open();
      await call.received;

      expect(textOf((await client.call("echo", { text: "in" })).answer)).toBe("in");
    },
  );

  it("of one line is that of its calls, and counts for nobody else", async () => {
    const gate = new Gate();
    const { url } = await listening({ tools: [echo, waiting(gate)], limits: { runsPerSession: 2 } });
    const [one, other] = [
      new StatelessClient(overConnection(await overWebSocket(url))),
      new StatelessClient(overConnection(await overWebSocket(url))),
    ];
    const calls = [1, 2].map(() => one.begin("tools/call", callOf("waiting")));

    const refused = await one.call("echo");
    expect(refused.answer.error).toEqual({
      code: OVER_LIMIT,
      message: "This connection has reached its limit of requests under way (2); wait for one to end.",
    });
    expect(textOf((await other.call("echo", { text: "in" })).answer)).toBe("in");
    gate.open();
    await Promise.all(calls.map(({ received }) => received));

    expect(textOf((await one.call("echo", { text: "in" })).answer)).toBe("in");
  });
});

describe("the limit of calls that wait", () => {
  const named = (url: string, authorization: string): StatelessClient =>
    new StatelessClient(overStatelessHttp(url, { authorization }));
  const options: ServerOptions = { authenticate: ({ headers }) => headers.authorization };

  it(verifies("C6", "of one principal refuses their new call, and nobody else's"), async () => {
    const witness = new Witness();
    const { url } = await listening({
      ...options,
      tools: [echo, witnessed(witness)],
      limits: { parkedPerPrincipal: 2 },
    });
    const [one, other] = [named(url, "one"), named(url, "other")];
    const asked = await one.call("witnessed");
    await one.call("witnessed");

    for (const name of ["witnessed", "echo"]) {
      const refused = await one.call(name);
      expect(refused.answer.error).toEqual({
        code: OVER_LIMIT,
        message: "You have reached your limit of calls that wait for answers (2).",
      });
    }
    expect(Object.keys(questionsIn(await other.call("witnessed")))).toEqual(["ask-1"]);
    expect(witness.begun).toBe(3);
    expect(textOf((await one.retry(asked, ada)).answer)).toBe("Hello, Ada");
    expect(Object.keys(questionsIn(await one.call("witnessed")))).toEqual(["ask-1"]);
  });

  it(verifies("C6", "of all refuses whoever calls, after their own; what waits goes on"), async () => {
    const { server, url } = await listening({
      ...options,
      tools: [greet],
      limits: { parked: 3, parkedPerPrincipal: 2 },
    });
    const [one, other] = [named(url, "one"), named(url, "other")];
    const asked = [await one.call("greet"), await one.call("greet"), await other.call("greet")];

    const [own, all] = [await one.call("greet"), await other.call("greet")];
    expect(own.answer.error?.message).toBe("You have reached your limit of calls that wait for answers (2).");
    expect(all.answer.error).toEqual({
      code: OVER_LIMIT,
      message: "This server has reached its limit of calls that wait for answers (3); try again later.",
    });
    expect(server.parked).toBe(3);
    for (const [at, received] of asked.entries())
      expect(textOf((await (at < 2 ? one : other).retry(received, ada)).answer)).toBe("Hello, Ada");

    expect(server.parked).toBe(0);
    expect(Object.keys(questionsIn(await other.call("greet")))).toEqual(["ask-1"]);
  });

  it("is not got around by coming all at once: who asks one too many is refused, and its body has ended", async () => {
    const [witness, gate] = [new Witness(), new Gate()];
    const late = tool({
      name: "late",
      async *run() {
        witness.begun += 1;
        try {
          await gate.passed();
          return yield* ask.text("Name?");
        } finally {
          witness.end("late");
        }
      },
    });
    const { client, server } = await serveStateless({ tools: [late], limits: { parked: 3 } });
    const calls = Array.from({ length: 10 }, () => client.begin("tools/call", callOf("late")));
    while (witness.begun < 10) await client.request("server/discover");

    gate.open();
    const received = await Promise.all(calls.map((call) => call.received));

    expect(received.filter((one) => codeIn(one) === OVER_LIMIT)).toHaveLength(7);
    expect(witness.ended).toHaveLength(7);
    expect(server.parked).toBe(3);
  });

  it("does not hold for a call that goes on, here or from elsewhere", async () => {
    const twice = tool({
      name: "twice",
      durable: true,
      async *run() {
        return `${yield* ask.text("One?")} ${yield* ask.text("Two?")}`;
      },
    });
    const limits = { parked: 1 };
    const { client } = await serveStateless({ tools: [twice], keys, limits });
    const asked = await client.call("twice");
    const other = await serveStateless({ tools: [twice], keys, limits });
    await other.client.call("twice");

    const here = await client.accept(asked, { "ask-1": "a" });
    const there = await other.client.accept(here, { "ask-2": "b" });
    const elsewhere = await other.client.accept(asked, { "ask-1": "a" });

    expect(Object.keys(questionsIn(here))).toEqual(["ask-2"]);
    expect(textOf(there.answer)).toBe("a b");
    expect(Object.keys(questionsIn(elsewhere))).toEqual(["ask-2"]);
  });
});

describe("the limit of what a client is made to carry", () => {
  const growing = (witness: Witness): Tool<never> =>
    tool({
      name: "growing",
      durable: true,
      async *run() {
        try {
          yield* step("read", () => "x".repeat(1000));
          yield* ask.text("More?");
          yield* step("read", () => "x".repeat(5000));
          return yield* ask.text("Still more?");
        } finally {
          witness.end("growing");
        }
      },
    });

  it(
    verifies(["C5", "E3"], "refuses a state that is longer, with the name of its tool and its size"),
    async () => {
      const witness = new Witness();
      const { client, server } = await serveStateless({
        tools: [growing(witness)],
        limits: { stateBytes: 4000 },
      });
      const asked = await client.call("growing");

      const refused = await client.retry(asked, ada);

      expect(stateIn(asked).length).toBeLessThanOrEqual(4000);
      expect(codeIn(refused)).toBe(OVER_LIMIT);
      expect(refused.answer.error?.message).toMatch(
        /^The requestState of growing reaches \d{4,5} bytes, and a client carries at most 4000 \(limits\.stateBytes\)\. .+$/,
      );
      expect(witness.ended).toEqual(["growing"]);
      expect(server.parked).toBe(0);
      expect((await client.retry(asked, ada)).answer.error).toEqual(refused.answer.error);
    },
  );

  it("takes exactly that many bytes, and not one more", async () => {
    const fixed = tool({
      name: "fixed",
      async *run() {
        return yield* ask.text("Name?");
      },
    });
    const call = async (stateBytes: number): Promise<Exchange> =>
      (await serveStateless({ tools: [fixed], limits: { stateBytes } })).client.call("fixed");
    const size = stateIn(await call(10_000)).length;
    const taken: boolean[] = [];

    // Numbers in it are not always of the same length.
    for (let most = size - 8; most <= size + 8; most++) {
      const received = await call(most);
      const [, tooLong] = /reaches (\d+) bytes/.exec(received.answer.error?.message ?? "") ?? [];
      taken.push(tooLong === undefined);
      const length = Number(tooLong ?? stateIn(received).length);
      expect(length <= most).toBe(tooLong === undefined);
    }

    expect([taken.at(0), taken.at(-1)]).toEqual([false, true]);
  });
});

describe("the limit of outcomes", () => {
  it(verifies("E3", "keeps that many of the newest: an older state is told that it is over"), async () => {
    const { client } = await serveStateless({ tools: [greet], limits: { outcomes: 2 } });
    const asked = [await client.call("greet"), await client.call("greet"), await client.call("greet")];
    for (const received of asked) await client.retry(received, ada);

    const again = await Promise.all(asked.map((received) => client.retry(received, ada)));

    expect(again.map(codeIn)).toEqual([-32602, undefined, undefined]);
    expect(again.slice(1).map(({ answer }) => textOf(answer))).toEqual(["Hello, Ada", "Hello, Ada"]);
  });
});

describe("the limit of what outcomes weigh", () => {
  const long = tool({
    name: "long",
    durable: true,
    async *run() {
      yield* ask.text("Name?");
      return "€".repeat(1000);
    },
  });

  it(verifies("E3", "lets go of the oldest, by bytes, and keeps the newest"), async () => {
    // Each is some 1,000 characters, of two bytes because one of them is not in Latin-1.
    const mostlyLatin = tool({
      name: "long",
      async *run() {
        yield* ask.text("Name?");
        return `€${"x".repeat(1000)}`;
      },
    });
    const { client } = await serveStateless({ tools: [mostlyLatin], limits: { outcomeBytes: 5000 } });
    const asked = [await client.call("long"), await client.call("long"), await client.call("long")];
    for (const received of asked) await client.retry(received, ada);

    const again = await Promise.all(asked.map((received) => client.retry(received, ada)));

    expect(again.map(codeIn)).toEqual([-32602, undefined, undefined]);
  });

  it("does not make a state good again that was good for one request", async () => {
    const { client } = await serveStateless({ tools: [long], singleUse: true, limits: { outcomeBytes: 0 } });
    const asked = await client.call("long");

    const first = await client.retry(asked, ada);
    const again = await client.retry(asked, ada);

    expect(textOf(first.answer)).toBe("€".repeat(1000));
    expect(codeIn(again)).toBe(-32602);
  });
});
