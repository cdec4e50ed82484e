/** What a client is told beyond MCP, if it wants to know: more of its questions, and what becomes of steps. */
import { ask, emit, step, systemClock, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { statelessTransports, transports } from "./wire/servers.ts";
import type { Fields } from "../../../test/clients/messages.ts";
import { ELICITATION, META, accepted, questionsIn, textOf } from "../../../test/clients/raw-client.ts";

const shop = tool({
  name: "shop",
  async *run() {
    const { size } = yield* ask.all({
      size: ask.select("Which size?", [
        { value: "s", title: "Small", description: "fits in a pocket" },
        { value: "l", title: "Large" },
      ]),
    });
    const count = yield* ask.number("How many?", { id: "count", max: 3, retries: 1, timeout: "1m" });
    const isSure = yield* ask.confirm("Pay?", { id: "sure", dangerous: true, timeout: "none" });
    return `${count} of ${size}: ${isSure}`;
  },
});

/** Asks for what has bounds and patterns that a form cannot say. */
const bounded = tool({
  name: "bounded",
  async *run() {
    yield* ask.all({
      day: ask.date("Which day?", { min: "2027-01-01", max: "2027-12-31" }),
      code: ask.text("Which code?", { pattern: "^[A-Z]{2}$", maxLength: 2 }),
      name: ask.text("Name?"),
      stars: ask.rating("How good?", { max: 3 }),
      visit: ask.form("Visit", { food: ask.rating("Food"), days: ask.number("Days") }),
      trip: ask.form("Trip", {
        type: "object",
        properties: {
          ticket: { type: "string", pattern: "^T" },
          seats: { type: "integer", exclusiveMinimum: 0 },
        },
      }),
    });
  },
});

const steps = tool({
  name: "steps",
  async *run() {
    yield emit.log("info", "before");
    yield* step("reserve", () => 1);
    return "done";
  },
});

/** Logs, and asks on a page. */
const keep = tool({
  name: "keep",
  async *run() {
    yield emit.log("info", "before");
    return String(yield* ask.secret("Password?", { id: "password", timeout: "1m" }));
  },
});

const curious = { ...ELICITATION, extensions: { "photon/questions": {} } };

describe.each(Object.entries(statelessTransports))("over %s, in 2026-07-28", (_, set) => {
  it("a client that wants details of questions gets them beside the round, with the tool's own message", async () => {
    const clock = testClock();
    const stage = await set({ tools: [shop], clock });
    const client = await stage.connect(curious);

    const first = await client.call("shop");
    const second = await client.retry(first, accepted({ size: "s" }));
    const again = await client.retry(second, accepted({ count: 9 }));
    const third = await client.retry(again, accepted({ count: 2 }));

    const detailsIn = ({ answer }: typeof first): unknown =>
      (answer.result?.["_meta"] as Fields | undefined)?.["photon/questions"];
    expect(detailsIn(first)).toMatchObject({
      size: { ask: "select", attempt: 1, options: { s: "fits in a pocket" } },
    });
    expect(detailsIn(again)).toEqual({
      count: {
        ask: "number",
        attempt: 2,
        hint: "must be at most 3",
        deadline: new Date(clock.now() + 60_000).toISOString(),
      },
    });
    expect(questionsIn(again)["count"]?.params?.["message"]).toBe("How many?");
    expect(detailsIn(third)).toEqual({ sure: { ask: "confirm", attempt: 1, dangerous: true } });
  });

  it("such a client gets the bounds and patterns that a form cannot say, by field", async () => {
    const stage = await set({ tools: [bounded] });
    const client = await stage.connect(curious);

    const { answer } = await client.call("bounded");

    const details = (answer.result?.["_meta"] as Fields | undefined)?.["photon/questions"];
    expect(details).toMatchObject({
      day: { bounds: { value: { formatMinimum: "2027-01-01", formatMaximum: "2027-12-31" } } },
      code: { bounds: { value: { pattern: "^[A-Z]{2}$" } } },
      stars: { ask: "rating", bounds: { value: { rating: true } } },
      visit: { ask: "form", bounds: { food: { rating: true } } },
      trip: { bounds: { ticket: { pattern: "^T" }, seats: { exclusiveMinimum: 0 } } },
    });
    expect(details).not.toHaveProperty("name.bounds");
  });

  it("such a client gets the kind and the deadline of what is asked on a page, and its token with what is logged", async () => {
    // Its time stands still and its timers run: a line waits a moment before it answers what it was told.
    const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };
    const stage = await set({ tools: [keep], clock });
    const client = await stage.connect(curious);

    const received = await client.call(
      "keep",
      {},
      { meta: { progressToken: "mine", [META.logLevel]: "info" } },
    );

    expect(received.answer.result?.["_meta"]).toMatchObject({
      "photon/questions": {
        password: {
          ask: "secret",
          attempt: 1,
          deadline: new Date(clock.now() + 60_000).toISOString(),
        },
      },
    });
    expect(questionsIn(received)["password"]?.params).toMatchObject({ mode: "url", message: "Password?" });
    expect(received.told.map(({ params }) => params?.["_meta"])).toEqual([{ "photon/call": "mine" }]);
  });

  it("the token of a call is not told to a client that does not want details", async () => {
    const stage = await set({ tools: [steps] });
    const client = await stage.connect();

    const { told } = await client.call("steps", {}, { meta: { progressToken: 1, [META.logLevel]: "info" } });

    expect(told.map(({ params }) => Object.keys(params ?? {}))).toEqual([["level", "logger", "data"]]);
  });

  it("a client that does not say so gets none", async () => {
    const stage = await set({ tools: [shop] });
    const client = await stage.connect();

    const first = await client.call("shop");

    expect(first.answer.result?.["_meta"]).toEqual({ [META.serverInfo]: expect.anything() });
  });

  it("steps are told to those who hear of everything, and to nobody else", async () => {
    const stage = await set({ tools: [steps] });
    const client = await stage.connect();

    const closely = await client.call("steps", {}, { meta: { [META.logLevel]: "debug" } });
    const loosely = await client.call("steps", {}, { meta: { [META.logLevel]: "info" } });

    expect(closely.told.map(({ params }) => params)).toEqual([
      { level: "info", logger: "steps", data: "before" },
      { level: "debug", logger: "steps/steps", data: { step: "reserve", state: "begun" } },
      { level: "debug", logger: "steps/steps", data: { step: "reserve", state: "done" } },
    ]);
    expect(loosely.told).toHaveLength(1);
  });
});

describe.each(Object.entries(transports))("over %s, on a session", (_, set) => {
  it("a client that wants details of questions gets them with each, and the tool's own message", async () => {
    const { connect } = await set({ tools: [shop] });
    const client = await connect();
    await client.initialize("2025-11-25", { ...ELICITATION, experimental: { "photon/questions": {} } });

    const id = client.begin("tools/call", { name: "shop" });
    const size = await client.receive();
    await client.accept(size, "s");
    await client.accept(await client.receive(), 9);
    const again = await client.receive();
    await client.accept(again, 2);
    const sure = await client.receive();
    await client.accept(sure, true);

    expect(size.params?.["_meta"]).toMatchObject({
      "photon/question": { ask: "select", options: { s: "fits in a pocket" } },
    });
    expect(again.params).toMatchObject({
      message: "How many?",
      _meta: { "photon/question": { ask: "number", attempt: 2, hint: "must be at most 3" } },
    });
    expect(sure.params?.["_meta"]).toEqual({
      "photon/question": { ask: "confirm", attempt: 1, dangerous: true },
    });
    expect(textOf(await client.answerTo(id))).toBe("2 of s: true");
  });

  it("such a client gets the kind and the deadline of what is asked on a page, and its token with that and with logs", async () => {
    const clock = testClock();
    const { connect } = await set({ tools: [keep], clock });
    const client = await connect();
    await client.initialize("2025-11-25", { ...ELICITATION, experimental: { "photon/questions": {} } });

    client.begin("tools/call", { name: "keep", _meta: { progressToken: "mine" } });
    const log = await client.receive("notifications/message");
    const asked = await client.receive();

    expect(log.params?.["_meta"]).toEqual({ "photon/call": "mine" });
    expect(asked.params).toMatchObject({ mode: "url", message: "Password?" });
    expect(asked.params?.["_meta"]).toEqual({
      "photon/question": {
        ask: "secret",
        attempt: 1,
        deadline: new Date(clock.now() + 60_000).toISOString(),
      },
      "photon/call": "mine",
    });
  });

  it("a client that does not say so gets none", async () => {
    const { connect } = await set({ tools: [shop] });
    const client = await connect();
    await client.initialize();

    client.begin("tools/call", { name: "shop" });

    expect(Object.keys((await client.receive()).params ?? {})).not.toContain("_meta");
  });

  it("steps are told to those who have set the level to debug", async () => {
    const { connect } = await set({ tools: [steps] });
    const client = await connect();
    await client.initialize();
    await client.request("logging/setLevel", { level: "debug" });

    const id = client.begin("tools/call", { name: "steps" });

    const told = [1, 2, 3].map(() => client.receive("notifications/message"));
    expect((await Promise.all(told)).map(({ params }) => params?.["data"])).toEqual([
      "before",
      { step: "reserve", state: "begun" },
      { step: "reserve", state: "done" },
    ]);
    expect(textOf(await client.answerTo(id))).toBe("done");
  });
});
