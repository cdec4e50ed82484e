/** A durable call whose parked generator is gone is replayed from its state (ARCHITECTURE.md §2.7–§2.9). */
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
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];

/** Asks three things, and does something after each. */
function wizard(done: string[] = [], version?: string): Tool<never> {
  return tool({
    name: "wizard",
    durable: true,
    ...(version === undefined ? {} : { version }),
    async *run() {
      const said = [];
      for (const word of ["One?", "Two?", "Three?"]) {
        yield emit.status(`Before ${word}`);
        said.push(yield* ask.text(word));
        yield emit.status(`After ${word}`);
        yield* step("do", ({ key }) => {
          done.push(key.replace(/^.*\//, ""));
        });
      }
      return said.join(" ");
    },
  });
}

/** Each request of a call goes to the next server, which has never seen it. */
async function elsewhere(make: () => Tool<never>): Promise<() => Promise<StatelessClient>> {
  return async () => (await serveStateless({ tools: [make()], keys, report() {} })).client;
}

const messages = ({ told }: Exchange): readonly unknown[] => told.map(({ params }) => params?.["message"]);

describe("a durable call that goes on elsewhere", () => {
  it(verifies(["C6", "B7", "E1"], "asks the same, under the same keys, and does no step again"), async () => {
    const done: string[] = [];
    const next = await elsewhere(() => wizard(done));

    const one = await (await next()).call("wizard");
    const two = await (await next()).accept(one, { "ask-1": "a" });
    const three = await (await next()).accept(two, { "ask-2": "b" });
    const last = await (await next()).accept(three, { "ask-3": "c" });

    expect([one, two, three].map((received) => Object.keys(questionsIn(received)))).toEqual([
      ["ask-1"],
      ["ask-2"],
      ["ask-3"],
    ]);
    expect(textOf(last.answer)).toBe("a b c");
    expect(done).toEqual(["do", "do#2", "do#3"]);
  });

  it(verifies("C6", "tells nothing again, and its progress goes on increasing"), async () => {
    const next = await elsewhere(wizard);
    const told: Exchange[] = [];
    let received = await (await next()).call("wizard", {}, { meta: { progressToken: "p" } });
    told.push(received);
    for (const at of [1, 2, 3]) {
      received = await (
        await next()
      ).accept(received, { [`ask-${at}`]: "x" }, { meta: { progressToken: `p${at}` } });
      told.push(received);
    }

    expect(told.flatMap(messages)).toEqual([
      "Before One?",
      "After One?",
      "Before Two?",
      "After Two?",
      "Before Three?",
      "After Three?",
    ]);
    const figures = told.flatMap((one) => one.told.map(({ params }) => Number(params?.["progress"])));
    expect(figures).toEqual(figures.toSorted((a, b) => a - b));
    expect(new Set(figures).size).toBe(figures.length);
  });

  it("goes on as well where it began, or where it was before", async () => {
    const done: string[] = [];
    const [one, two] = [
      (await serveStateless({ tools: [wizard(done)], keys })).client,
      (await serveStateless({ tools: [wizard(done)], keys })).client,
    ];

    let received = await one.call("wizard");
    received = await two.accept(received, { "ask-1": "a" });
    received = await one.accept(received, { "ask-2": "b" });
    received = await one.accept(received, { "ask-3": "c" });

    expect(textOf(received.answer)).toBe("a b c");
    expect(done).toEqual(["do", "do#2", "do#3"]);
  });

  it("asks again what is missing, and keeps what was given", async () => {
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const { a, b } = yield* ask.all({ a: ask.number("A?", { retries: 1, max: 9 }), b: ask.text("B?") });
        return `${a}${b}`;
      },
    });
    const next = await elsewhere(() => both);

    const asked = await (await next()).call("both");
    const none = await (await next()).retry(asked);
    const half = await (await next()).accept(none, { b: "x" });
    const unfit = await (await next()).accept(half, { a: 10 });
    const done = await (await next()).accept(unfit, { a: 7 });

    expect(Object.keys(questionsIn(none))).toEqual(["a", "b"]);
    expect(Object.keys(questionsIn(half))).toEqual(["a"]);
    expect(questionsIn(unfit)["a"]?.params?.["message"]).toContain("must be at most 9");
    expect(textOf(done.answer)).toBe("7x");
  });

  it(
    verifies(["C5", "B3"], "is untouched by what is no answer: the same state goes on with a right one"),
    async () => {
      const ended: string[] = [];
      const careful = tool({
        name: "careful",
        durable: true,
        async *run() {
          try {
            return `Hello, ${yield* ask.text("Name?")}`;
          } finally {
            ended.push("ended");
          }
        },
      });
      const asked = await (await serveStateless({ tools: [careful], keys })).client.call("careful");
      const { client, server } = await serveStateless({ tools: [careful], keys });

      const refused = await client.retry(asked, { "ask-1": 12_345 });
      expect({ ended, parked: server.parked }).toEqual({ ended: [], parked: 1 });
      const again = await client.retry(asked, { "ask-1": { action: "perhaps" } });
      const done = await client.accept(asked, { "ask-1": "Ada" });

      expect([refused, again].map(codeIn)).toEqual([-32602, -32602]);
      expect(textOf(done.answer)).toBe("Hello, Ada");
      expect(ended).toEqual(["ended"]);
      expect(server.parked).toBe(0);
    },
  );

  it("is told that its question was too late, there as here", async () => {
    const clock = countingClock();
    const asking = tool({
      name: "asking",
      durable: true,
      async *run() {
        return yield* ask.text("Name?", { timeout: "5m" });
      },
    });
    const asked = await (await serveStateless({ tools: [asking], keys, clock })).client.call("asking");

    clock.leap(6 * 60_000);
    const late = await (
      await serveStateless({ tools: [asking], keys, clock })
    ).client.accept(asked, { "ask-1": "Ada" });

    expect(textOf(late.answer)).toBe('No answer to "Name?" (ask-1) arrived in time.');
  });

  it(
    verifies("C6", "is refused with a sentence where its tool is not durable: nothing of it is here"),
    async () => {
      let begun = 0;
      const plain = tool({
        name: "plain",
        async *run() {
          begun += 1;
          return yield* ask.text("Name?");
        },
      });
      const next = await elsewhere(() => plain);
      const asked = await (await next()).call("plain");

      const refused = await (await next()).accept(asked, { "ask-1": "Ada" });

      expect(refused.answer.error).toEqual({
        code: -32602,
        message: "The call that this requestState belongs to is over; call again from the start.",
      });
      expect(begun).toBe(1);
    },
  );
});

describe("a durable call whose tool is no longer the same", () => {
  it(verifies("E5", "is told so before anything runs, where its version has changed"), async () => {
    const done: string[] = [];
    const asked = await (await serveStateless({ tools: [wizard(done, "1")], keys })).client.call("wizard");

    const { client } = await serveStateless({ tools: [wizard(done, "2")], keys });
    const changed = await client.accept(asked, { "ask-1": "a" });

    expect(changed.answer.result).toMatchObject({ resultType: "complete", isError: true });
    expect(textOf(changed.answer)).toBe(
      "This run was started by version 1 of wizard, which is now version 2. Call the tool again.",
    );
    expect(done).toEqual([]);
  });

  it(verifies("E5", "is told what it asks now and what it asked then, where that differs"), async () => {
    const next = (question: ReturnType<typeof ask.text> | ReturnType<typeof ask.number>): Tool<never> =>
      tool({
        name: "next",
        durable: true,
        async *run() {
          yield question;
          return "done";
        },
      });
    const asked = await (
      await serveStateless({ tools: [next(ask.text("Name?", { id: "name" }))], keys })
    ).client.call("next");

    const { client } = await serveStateless({ tools: [next(ask.number("Age?", { id: "age" }))], keys });
    const diverged = await client.accept(asked, { name: "Ada" });

    expect(diverged.answer.result).toMatchObject({ isError: true });
    expect(textOf(diverged.answer)).toMatch(
      /^The tool asks "age" \(number.+\), but its journal asks "name" \(text.+\)/,
    );
  });

  it("is not there at all: there is no such tool", async () => {
    const asked = await (await serveStateless({ tools: [wizard()], keys })).client.call("wizard");

    const { client } = await serveStateless({ tools: [], keys });

    expect(codeIn(await client.accept(asked, { "ask-1": "a" }))).toBe(-32602);
  });
});

describe("many rounds", () => {
  it(verifies("C6", "are reported once, when there are more than eight; here or elsewhere"), async () => {
    const reported: unknown[] = [];
    const endless = tool({
      name: "endless",
      durable: true,
      async *run() {
        for (;;) yield* ask.text("More?", { id: "more" });
      },
    });
    const options = { tools: [endless], keys, report: (error: unknown) => reported.push(error) };
    const clients = [(await serveStateless(options)).client, (await serveStateless(options)).client];
    let received = await (clients[0] as StatelessClient).call("endless");
    for (let rounds = 1; rounds < 8; rounds++)
      received = await (clients[rounds % 2] as StatelessClient).retry(received, accepted(lastKey(received)));
    expect(reported).toEqual([]);

    for (let rounds = 8; rounds < 12; rounds++)
      received = await (clients[rounds % 2] as StatelessClient).retry(received, accepted(lastKey(received)));

    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({
      code: "MANY_ROUNDS",
      message: expect.stringContaining("endless has asked more than 8 rounds"),
    });
  });
});

/** An answer to the one question there is. */
const lastKey = (received: Exchange): { readonly [key: string]: string } =>
  Object.fromEntries(Object.keys(questionsIn(received)).map((key) => [key, "x"]));
