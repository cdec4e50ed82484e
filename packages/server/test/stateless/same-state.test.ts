/** The same state sent twice gets the same outcome, and nothing is done twice (ARCHITECTURE.md §3). */
import { ask, emit, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer } from "../../src/index.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { type Fields, MessageQueue, type Message } from "../../../../test/clients/messages.ts";
import {
  META,
  MODERN,
  accepted,
  codeIn,
  questionsIn,
  stateIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { greet, Witness } from "../wire/tools.ts";
import { Gate } from "../wire/gate.ts";

/** Asks, works until it is let through, and tells the witness of its end. */
function working(witness: Witness, gate: Gate, durable = false): Tool<never> {
  return tool({
    name: "working",
    durable,
    async *run(_input, { signal }) {
      witness.begun += 1;
      try {
        const name = yield* ask.text("Name?");
        yield emit.status(`Working for ${name}`);
        await gate.passed(signal);
        const times = yield* step("count", () => witness.ended.length);
        return `Done for ${name}, ${times}`;
      } finally {
        witness.end("working");
      }
    },
  });
}

const ada = accepted({ "ask-1": "Ada" });

describe.each(Object.entries(statelessTransports))("the same state over %s", (_, set) => {
  it(verifies("E3", "with the same answers is given the same outcome, however often"), async () => {
    const witness = new Witness();
    const client = await (await set({ tools: [working(witness, Gate.open())] })).connect();
    const asked = await client.call("working");

    const first = await client.retry(asked, ada);
    const second = await client.retry(asked, ada);
    const third = await client.retry(asked, { ...ada });

    expect(textOf(first.answer)).toBe("Done for Ada, 0");
    expect(second.answer.result).toEqual(first.answer.result);
    expect(third.answer.result).toEqual(first.answer.result);
    expect([first, second, third].map(({ answer }) => answer.id)).toEqual([1, 2, 3]);
    expect(witness).toMatchObject({ begun: 1, ended: ["working"] });
  });

  it(
    verifies("E3", "brought twice at once is one run and one outcome, and the first is told what happens"),
    async () => {
      const [witness, gate] = [new Witness(), new Gate()];
      const client = await (await set({ tools: [working(witness, gate)] })).connect();
      const asked = await client.call("working");

      const one = client.beginRetry(asked, ada, { meta: { progressToken: "one" } });
      const told = await one.messages.next(({ method }) => method === "notifications/progress");
      const two = client.beginRetry(asked, ada, { meta: { progressToken: "two" } });
      await client.request("server/discover");
      gate.open();
      const [first, second] = await Promise.all([one.received, two.received]);

      expect(told.params).toMatchObject({ progressToken: "one", message: "Working for Ada" });
      expect(second.answer.result).toEqual(first.answer.result);
      expect(second.told.filter(({ params }) => params?.["progressToken"] === "two")).toEqual([]);
      expect(witness).toMatchObject({ begun: 1, ended: ["working"] });
    },
  );

  it(
    verifies("E3", "with other answers is refused, before and after the first has its outcome"),
    async () => {
      const [witness, gate] = [new Witness(), new Gate()];
      const client = await (await set({ tools: [working(witness, gate)] })).connect();
      const asked = await client.call("working");
      const one = client.beginRetry(asked, ada, { meta: { progressToken: 1 } });
      await one.messages.next(({ method }) => method === "notifications/progress");

      const during = await client.accept(asked, { "ask-1": "Bob" });
      gate.open();
      const first = await one.received;
      const after = await client.accept(asked, { "ask-1": "Bob" });
      const without = await client.retry(asked);

      for (const refused of [during, after, without])
        expect(refused.answer.error).toMatchObject({
          code: -32602,
          message: "Invalid or expired requestState.",
        });
      expect(textOf(first.answer)).toBe("Done for Ada, 0");
      expect(textOf((await client.retry(asked, ada)).answer)).toBe("Done for Ada, 0");
    },
  );

  it(
    verifies(
      ["B8", "E3"],
      "of a request that was given up in the middle is refused: the body was closed for it",
    ),
    async () => {
      const witness = new Witness();
      const client = await (await set({ tools: [working(witness, new Gate())] })).connect();
      const asked = await client.call("working");
      const one = client.beginRetry(asked, ada, { meta: { progressToken: 1 } });
      await one.messages.next(({ method }) => method === "notifications/progress");

      await one.leave();
      await witness.afterEnd();
      const again = await client.retry(asked, ada);

      expect(again.answer.error).toMatchObject({
        code: -32602,
        message: "The call that this requestState belongs to is over; call again from the start.",
      });
      expect(witness).toMatchObject({ begun: 1, ended: ["working"] });
    },
  );

  it(
    verifies(
      ["C6", "E3"],
      "of a request that was given up in the middle is replayed, where the tool is durable",
    ),
    async () => {
      const [witness, gate] = [new Witness(), new Gate()];
      const client = await (await set({ tools: [working(witness, gate, true)] })).connect();
      const asked = await client.call("working");
      const one = client.beginRetry(asked, ada, { meta: { progressToken: 1 } });
      await one.messages.next(({ method }) => method === "notifications/progress");

      await one.leave();
      await witness.afterEnd();
      gate.open();
      const again = await client.retry(asked, ada);
      const oncemore = await client.retry(asked, ada);

      expect(textOf(again.answer)).toBe("Done for Ada, 1");
      expect(oncemore.answer.result).toEqual(again.answer.result);
      expect(witness).toMatchObject({ begun: 2, ended: ["working", "working"] });
    },
  );

  it("goes on while anybody waits for its outcome", async () => {
    const [witness, gate] = [new Witness(), new Gate()];
    const client = await (await set({ tools: [working(witness, gate)] })).connect();
    const asked = await client.call("working");
    const one = client.beginRetry(asked, ada, { meta: { progressToken: 1 } });
    await one.messages.next(({ method }) => method === "notifications/progress");
    const two = client.beginRetry(asked, ada);
    await client.request("server/discover");

    await one.leave();
    await client.request("server/discover");
    gate.open();

    expect(textOf((await two.received).answer)).toBe("Done for Ada, 0");
    expect(witness.begun).toBe(1);
  });
});

describe("a line that only joined a request", () => {
  it.each(["who came first", "who came later"])("ends while the other goes on waiting (%s)", async (who) => {
    const [witness, gate] = [new Witness(), new Gate()];
    const server = createServer({ tools: [working(witness, gate)] });
    onTestFinished(() => server.close());
    const lines = [1, 2].map(() => {
      const inbox = new MessageQueue();
      const line = server.open({ mayMergeReads: false, send: (message) => inbox.push(message), close() {} });
      const call = async (more: Fields): Promise<Message> => {
        const meta = { [META.version]: MODERN, [META.capabilities]: { elicitation: {} } };
        const params = { name: "working", arguments: {}, ...more, _meta: meta };
        line.receive({ jsonrpc: "2.0", id: inbox.all.length, method: "tools/call", params });
        return inbox.next(({ method }) => method === undefined);
      };
      return { line, call };
    });
    const [one, two] = lines as [(typeof lines)[0], (typeof lines)[0]];
    const { result } = await one.call({});
    const retry = { requestState: result?.["requestState"], inputResponses: ada };
    const answers = [one.call(retry), two.call(retry)];
    await gate.reached;

    const [leaving, staying] = who === "who came first" ? [one, answers[1]] : [two, answers[0]];
    await leaving.line.close();
    expect(witness.ended).toEqual([]);
    gate.open();

    expect(textOf((await staying) ?? {})).toBe("Done for Ada, 0");
  });
});

describe("an old state", () => {
  const wizard = tool({
    name: "wizard",
    async *run() {
      const answers = [];
      for (const word of ["One?", "Two?", "Three?"]) answers.push(yield* ask.text(word));
      return answers.join(" ");
    },
  });

  it(verifies("E3", "is given what came of it then, and is refused with anything else"), async () => {
    const { client } = await serveStateless({ tools: [wizard] });
    const one = await client.call("wizard");
    const two = await client.accept(one, { "ask-1": "a" });
    const three = await client.accept(two, { "ask-2": "b" });

    const again = await client.accept(one, { "ask-1": "a" });
    const other = await client.accept(one, { "ask-1": "x" });
    const skipping = await client.accept(one, { "ask-3": "c" });
    const done = await client.accept(three, { "ask-3": "c" });
    const late = await client.accept(two, { "ask-2": "b" });

    expect(stateIn(again)).toBe(stateIn(two));
    expect(questionsIn(again)).toEqual(questionsIn(two));
    expect([other, skipping].map(codeIn)).toEqual([-32602, -32602]);
    expect(textOf(done.answer)).toBe("a b c");
    expect(stateIn(late)).toBe(stateIn(three));
  });

  it("is refused where nobody knows any more what came of it", async () => {
    const { client } = await serveStateless({ tools: [wizard], limits: { outcomes: 0 } });
    const one = await client.call("wizard");
    const two = await client.accept(one, { "ask-1": "a" });

    const again = await client.accept(one, { "ask-1": "a" });
    const three = await client.accept(two, { "ask-2": "b" });

    expect(codeIn(again)).toBe(-32602);
    expect(Object.keys(questionsIn(three))).toEqual(["ask-3"]);
  });
});

describe("a state that is good for one request", () => {
  it(verifies("E3", "is refused the second time, also with the same answers, at once or later"), async () => {
    const [witness, gate] = [new Witness(), new Gate()];
    const { client } = await serveStateless({ tools: [working(witness, gate, true)], singleUse: true });
    const asked = await client.call("working");
    const one = client.beginRetry(asked, ada, { meta: { progressToken: 1 } });
    await one.messages.next(({ method }) => method === "notifications/progress");

    const during = await client.retry(asked, ada);
    gate.open();
    const first = await one.received;
    const after = await client.retry(asked, ada);

    expect(textOf(first.answer)).toBe("Done for Ada, 0");
    expect([during, after].map(codeIn)).toEqual([-32602, -32602]);
    expect(witness.begun).toBe(1);
  });

  it(
    verifies("E3", "is not good again because many others were used since: those that would be are refused"),
    async () => {
      const witness = new Witness();
      const { client } = await serveStateless({
        tools: [working(witness, Gate.open(), true), greet],
        singleUse: true,
        limits: { outcomes: 1 },
      });
      const [one, two, plain] = [
        await client.call("working"),
        await client.call("working"),
        await client.call("greet"),
      ];
      await client.retry(one, ada);

      const other = await client.retry(two, ada);
      const again = await client.retry(one, ada);
      const greeted = await client.retry(plain, ada);

      expect(other.answer.error).toEqual({
        code: -31001,
        message: "This server has reached its limit of used states (1); try again later.",
      });
      expect(codeIn(again)).toBe(-32602);
      expect(textOf(greeted.answer)).toBe("Hello, Ada");
      expect(witness).toMatchObject({ begun: 2, ended: ["working"] });
    },
  );

  it("is not used up by what is no answer", async () => {
    const { client } = await serveStateless({
      tools: [working(new Witness(), Gate.open())],
      singleUse: true,
    });
    const asked = await client.call("working");

    const refused = await client.retry(asked, { "ask-1": 7 });
    const done = await client.retry(asked, ada);

    expect(codeIn(refused)).toBe(-32602);
    expect(textOf(done.answer)).toBe("Done for Ada, 0");
  });
});
