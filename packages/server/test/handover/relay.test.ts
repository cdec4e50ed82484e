/** A client that shows no questions, on a server that lets models pass them on in words. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { verifies } from "../../../../test/requirements.ts";
import { login, upload } from "../secrets/tools.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { greet } from "../wire/tools.ts";
import { eras, runIn } from "./model.ts";

const nights = tool({
  name: "nights",
  async *run() {
    return `${yield* ask.number("How many nights?", { min: 1, max: 30, integer: true })} nights`;
  },
});
const both = tool({
  name: "both",
  async *run() {
    const { name, breakfast } = yield* ask.all({
      name: ask.text("Name?"),
      breakfast: ask.confirm("Breakfast?"),
    });
    return `${name} ${breakfast}`;
  },
});
const twice = tool({
  name: "twice",
  async *run() {
    const room = yield* ask.select("Which room?", { single: "Single", double: "Double" });
    return `${room} ${yield* ask.date("When?")}`;
  },
});

describe.each(Object.entries(eras))("in %s", (_, meet) => {
  it(
    verifies("B4", "a question is put into words, and what the person says goes on with the call"),
    async () => {
      const { model } = await meet({ tools: [nights], whenUnsupported: "relay" });
      const { call } = await model();

      const handed = await call("nights");
      const done = await call("photon_answer", { run: runIn(handed), answer: 3 });

      expect(handed.text).toContain("- How many nights? (a whole number, 1 to 30)");
      expect(handed.text).toContain("Never answer in their place");
      expect(handed.text).not.toContain("/ask/");
      expect(done.text).toBe("3 nights");
    },
  );

  it("patterns and formats are told in words, and never as regular expressions", async () => {
    const sign = tool({
      name: "sign",
      async *run() {
        const code = { pattern: "^[A-Z]+$", patternMessage: "must be in capitals" };
        yield* ask.text("Which code?", code);
        yield* ask.form("Who?", z.object({ mail: z.email(), code: z.string().regex(/^[A-Z]+$/) }));
      },
    });
    const { model } = await meet({ tools: [sign], whenUnsupported: "relay" });
    const { call } = await model();

    const first = await call("sign");
    const refused = await call("photon_answer", { run: runIn(first), answer: "abc" });
    const second = await call("photon_answer", { run: runIn(first), answer: "ABC" });

    expect(first.text).toContain("must be in capitals");
    expect(refused.text).toContain("it must be in capitals");
    expect(second.text).toContain('"format":"email"');
    for (const { text } of [first, refused, second]) expect(text).not.toContain("A-Z");
  });

  it(verifies("B3", "an answer that does not fit is said to, and the run knows nothing of it"), async () => {
    const { model } = await meet({ tools: [nights], whenUnsupported: "relay" });
    const { call } = await model();
    const run = runIn(await call("nights"));

    const unfit = [
      await call("photon_answer", { run, answer: 31 }),
      await call("photon_answer", { run, answer: "three" }),
      await call("photon_answer", { run }),
    ];
    const done = await call("photon_answer", { run, answer: 30 });

    for (const { text } of unfit) expect(text).toMatch(/^That answer does not fit: it .+\n.*Ask them/);
    expect(unfit.map(runIn)).toEqual([run, run, run]);
    expect(done.text).toBe("30 nights");
  });

  it.each(["decline", "cancel"])(
    verifies("B1", "a person who does not answer has not answered: %s"),
    async (action) => {
      const { model } = await meet({ tools: [greet], whenUnsupported: "relay" });
      const { call } = await model();
      const run = runIn(await call("greet"));

      const done = await call("photon_answer", { run, action, answer: "Ada" });

      expect(done.isError).toBe(true);
      expect(done.text).toContain(action === "decline" ? "declined" : "cancelled");
    },
  );

  it("several questions are answered by their keys, all of them", async () => {
    const { model } = await meet({ tools: [both], whenUnsupported: "relay" });
    const { call } = await model();
    const handed = await call("both");
    const run = runIn(handed);

    const half = await call("photon_answer", { run, answer: { name: "Ada" } });
    const inherited = await call("photon_answer", {
      run,
      answer: JSON.parse('{"__proto__":{"breakfast":true},"name":"Ada"}') as unknown,
    });
    const done = await call("photon_answer", { run, answer: { name: "Ada", breakfast: true } });

    expect(handed.text).toContain("- name: Name? (a text)\n- breakfast: Breakfast? (yes or no)");
    expect(half.text).toMatch(/^That answer does not fit/);
    expect(inherited.text).toMatch(/^That answer does not fit/);
    expect(done.text).toBe("Ada true");
  });

  it("one question follows the other, with what there is to choose from", async () => {
    const { model } = await meet({ tools: [twice], whenUnsupported: "relay" });
    const { call } = await model();

    const one = await call("twice");
    const two = await call("photon_answer", { run: runIn(one), answer: "double" });
    const done = await call("photon_answer", { run: runIn(two), answer: "2026-08-01" });

    expect(one.text).toContain('(one of "single": Single, "double": Double)');
    expect(runIn(two)).toBe(runIn(one));
    expect(done.text).toBe("double 2026-08-01");
  });

  it.each([
    [
      login,
      '"Password?" (ask-1) cannot be asked here: a secret never passes through a model, and the client opens no web addresses (url elicitation).',
    ],
    [
      upload,
      '"Photo?" (ask-1) cannot be asked here: a file never passes through a model, and the client opens no web addresses (url elicitation).',
    ],
    [
      tool({
        name: "launch",
        async *run() {
          return (yield* ask.confirm("Launch?", { dangerous: true })) ? "launched" : "kept";
        },
      }),
      '"Launch?" (ask-1) cannot be asked here: a yes to a dangerous question never passes through a model, and the client shows no forms (elicitation).',
    ],
  ])(
    verifies(["B4", "B6"], "what never passes through a model is not asked, and says why: $name"),
    async (asking, sentence) => {
      const { model, server } = await meet({ tools: [asking], whenUnsupported: "relay" });
      const { call } = await model();

      const { text, isError, wire } = await call(asking.name ?? "");

      expect(text).toBe(sentence);
      expect(isError || wire.error?.code === -32021).toBe(true);
      await expect.poll(() => server.parked).toBe(0);
    },
  );

  it("says the question again to whoever looks for a page", async () => {
    const { model } = await meet({ tools: [greet], whenUnsupported: "relay" });
    const { call } = await model();
    const handed = await call("greet");

    const again = await call("photon_continue", { run: runIn(handed) });

    expect(again.text).toBe(handed.text);
    expect((await call("photon_answer", { run: runIn(handed), answer: "Ada" })).text).toBe("Hello, Ada");
  });

  it(verifies("B2", "an answer that comes too late is none"), async () => {
    const clock = countingClock();
    const { model } = await meet({ tools: [greet], whenUnsupported: "relay", clock });
    const { call } = await model();
    const run = runIn(await call("greet"));

    clock.leap(5 * 60_000);
    const late = await call("photon_answer", { run, answer: "Ada" });

    expect(late).toMatchObject({ isError: true, text: 'No answer to "Name?" (ask-1) arrived in time.' });
  });

  it.each([
    ["no run", {}, "run must be the value"],
    ["a run of another kind", { run: 7 }, "run must be the value"],
    ["an unknown run", { run: "8d7e" }, "No call waits under that run"],
  ])("what is said wrongly is told so: %s", async (__, input, sentence) => {
    const { model } = await meet({ tools: [greet], whenUnsupported: "relay" });
    const { call } = await model();
    await call("greet");

    const refused = await call("photon_answer", input);

    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(sentence);
  });

  it("an action that there is not leaves the run as it is", async () => {
    const { model } = await meet({ tools: [greet], whenUnsupported: "relay" });
    const { call } = await model();
    const run = runIn(await call("greet"));

    const refused = await call("photon_answer", { run, action: "yes", answer: "Ada" });

    expect(refused).toMatchObject({ isError: true, text: "action must be accept, decline or cancel." });
    expect((await call("photon_answer", { run, answer: "Ada" })).text).toBe("Hello, Ada");
  });

  it("a run that is over waits for nothing more", async () => {
    const { model } = await meet({ tools: [greet], whenUnsupported: "relay" });
    const { call } = await model();
    const run = runIn(await call("greet"));
    await call("photon_answer", { run, answer: "Ada" });

    const late = await call("photon_answer", { run, answer: "Ada" });

    expect(late.text).toContain("No call waits under that run");
  });
});
