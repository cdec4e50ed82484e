/** What a run asks is put to a person, and what they say goes back, whichever way it goes. */
import { ask, emit, sample, tool } from "@photon/core";
import { expect, it } from "vitest";
import { Gate } from "../../server/test/wire/gate.ts";
import { answerPage } from "../../server/test/secrets/person.ts";
import type { Question } from "../src/desk/question.ts";
import { sixConnections } from "./six-connections.ts";
import { stage } from "./stage.ts";
import { ended, happened, until } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

/** Asks something, and says how that went. */
const asking = (name: string, question: Parameters<typeof ask.outcome>[0]) =>
  tool({
    name,
    description: "Asks",
    async *run() {
      return JSON.stringify(yield* ask.outcome(question));
    },
  });

/** Says who it is, waits, says it again, and asks. */
const behind = (gate: Gate) =>
  tool({
    name: "behind",
    description: "Asks when it may",
    input: { type: "object", properties: { name: { type: "string" } } },
    async *run({ name }) {
      yield emit.log("info", name);
      await gate.passed();
      yield emit.log("info", name);
      return yield* ask.text(`Who is ${name}?`);
    },
  });

const textIn = (run: Parameters<typeof happened>[0]): unknown => {
  const [entry] = happened(run, "result") as [
    { readonly result: { readonly content: [{ readonly text: string }] } },
  ];
  return JSON.parse(entry.result.content[0].text);
};

const by = (asker: string) => (question: Question) => question.asker === asker;

onEveryWay((how) => {
  it("sends a decline and a cancel as what they are", async () => {
    const { open } = await stage({ tools: [asking("ask", ask.text("Name?"))] });
    const tab = open(how);

    const declined = await tab.call("ask");
    tab.desk.answer(await tab.question(), { action: "decline" });
    await ended(declined);
    const cancelled = await tab.call("ask");
    tab.desk.answer(await tab.question(), { action: "cancel" });
    await ended(cancelled);

    expect(textIn(declined)).toMatchObject({ action: "decline" });
    expect(textIn(cancelled)).toMatchObject({ action: "cancel" });
    expect(happened(cancelled, "asked", "answered")).toMatchObject([
      { kind: "asked", question: { message: "Name?" } },
      { kind: "answered", answer: { action: "cancel" } },
    ]);
  });

  it("knows of a question what only Photon knows", async () => {
    const dangerous = ask.confirm("Delete everything?", {
      dangerous: true,
      description: "For good.",
      timeout: "1m",
    });
    const { open } = await stage({ tools: [asking("danger", dangerous)] });
    const tab = open(how);

    await tab.call("danger");
    const { details, message, key } = await tab.question();

    expect({ message, key }).toEqual({ message: "Delete everything?", key: "ask-1" });
    expect(details).toMatchObject({ ask: "confirm", dangerous: true, description: "For good." });
    expect(details.deadline).toBeGreaterThan(Date.now());
  });

  it("asks again with the hint beside the question, as the same question once more", async () => {
    const { open } = await stage({
      tools: [asking("nights", ask.number("How many?", { max: 3, retries: 2 }))],
    });
    const tab = open(how);

    const run = await tab.call("nights");
    await tab.accept(7);
    const again = await tab.question(({ details }) => details.hint !== undefined);
    tab.desk.answer(again, { action: "accept", content: { value: 2 } });
    await ended(run);

    expect(again.message).toBe("How many?");
    expect(again.details.attempt).toBeGreaterThan(1);
    expect(textIn(run)).toMatchObject({ action: "accept", value: 2 });
  });

  it("does not mix what several tools ask at once", async () => {
    const { open } = await stage({
      tools: [asking("first", ask.text("First?")), asking("second", ask.text("Second?"))],
    });
    const tab = open(how);

    const first = await tab.call("first");
    await tab.question(by("first"));
    const second = await tab.call("second");
    await tab.accept("two", by("second"));
    await ended(second);
    expect(first.state.value).toEqual({ state: "asking" });
    await tab.accept("one", by("first"));
    await ended(first);

    expect(textIn(first)).toMatchObject({ value: "one" });
    expect(textIn(second)).toMatchObject({ value: "two" });
    expect(happened(first, "asked")).toHaveLength(1);
    expect(happened(second, "asked")).toHaveLength(1);
  });

  it("knows which of several calls is asking, also where the one that was called first asks last", async () => {
    const gate = new Gate();
    const { open } = await stage({ tools: [behind(gate)] });
    const tab = open(how);

    const early = await tab.call("behind", { name: "early" });
    await until(early.timeline, (entries) => entries.length === 1);
    const late = await tab.call("behind", { name: "late" });
    await until(late.timeline, (entries) => entries.length === 1);
    gate.open();
    await until(tab.desk.questions, (all) => all.length === 2);

    for (const run of [early, late]) {
      const own = tab.desk.questions.value.filter(({ runId }) => runId === run.id);
      expect(own.map(({ message }) => message)).toEqual([`Who is ${String(run.given["name"])}?`]);
      expect(happened(run, "log")).toMatchObject([{ data: run.given["name"] }, { data: run.given["name"] }]);
      for (const question of own) tab.desk.answer(question, { action: "accept", content: { value: "me" } });
      expect(await ended(run)).toEqual({ state: "done" });
    }
  });

  it("answers more calls at once than a browser has connections", async () => {
    const { open } = await stage({ tools: [asking("ask", ask.text("Name?"))] });
    const tab = open(how, { fetch: sixConnections() });

    const runs = await Promise.all(Array.from({ length: 5 }, () => tab.call("ask")));
    await until(tab.desk.questions, (all) => all.length === 5);
    runs.push(await tab.call("ask"));
    await until(tab.desk.questions, (all) => all.length === 6);
    for (const question of tab.desk.questions.value)
      tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });

    for (const run of runs) expect(await ended(run)).toEqual({ state: "done" });
  });

  it("speaks for a model with what a person says", async () => {
    const speaking = tool({
      name: "speaking",
      description: "Wants a model",
      async *run() {
        const said = yield* sample("A word?", { maxTokens: 5 });
        return said;
      },
    });
    const { open } = await stage({ tools: [speaking] });
    const tab = open(how);

    const run = await tab.call("speaking");
    const question = await tab.question();
    expect(question.wanted).toMatchObject({ by: "sample", params: { maxTokens: 5 } });
    tab.desk.answer(question, { action: "accept", content: { text: "Tulip" } });
    await ended(run);

    expect(JSON.stringify(happened(run, "result"))).toContain("Tulip");
    expect(JSON.stringify(tab.desk.wire.value)).toContain("a person");
  });

  it("ends a call that nobody wants to speak for a model in", async () => {
    const { open } = await stage({
      tools: [
        tool({
          name: "speaking",
          description: "Wants a model",
          async *run() {
            yield* sample("A word?", { maxTokens: 5 });
            return "Said.";
          },
        }),
      ],
    });
    const tab = open(how);

    const run = await tab.call("speaking");
    tab.desk.answer(await tab.question(), { action: "decline" });

    expect(await ended(run)).toMatchObject({ state: how.revision === "2026-07-28" ? "cancelled" : "failed" });
    expect(tab.desk.questions.value).toEqual([]);
  });

  it("waits for somebody who was sent to a page, and goes on when they have filled it in", async () => {
    const { open } = await stage({ tools: [asking("secret", ask.secret("The password?"))] });
    const tab = open(how);

    const run = await tab.call("secret");
    const question = await tab.question();
    expect(question.details.ask).toBe("secret");
    tab.desk.visit(question);
    const [waiting] = await until(tab.desk.questions, ([one]) => one?.waitsFor === "page");
    expect(run.state.value).toEqual({ state: "asking" });
    await answerPage(waiting?.wanted.by === "url" ? waiting.wanted.url : "", "hunter22");

    expect(await ended(run)).toEqual({ state: "done" });
    expect(happened(run, "asked")).toHaveLength(1);
    expect(tab.desk.questions.value).toEqual([]);
    expect(JSON.stringify(tab.desk.wire.value) + tab.storage.text).not.toContain("hunter22");
  });

  it("sends somebody to an address, and takes their word for having been there", async () => {
    const { open } = await stage({
      tools: [asking("visit", ask.url("Sign there", "https://example.com/sign"))],
    });
    const tab = open(how);

    const run = await tab.call("visit");
    const question = await tab.question();
    expect(question.wanted).toEqual({ by: "url", url: "https://example.com/sign" });
    tab.desk.visit(question);
    tab.desk.answer(question, { action: "accept" });

    expect(await ended(run)).toEqual({ state: "done" });
  });
});

onEveryWay(
  (how) => {
    it("answers a round question by question, and sends the answers together", async () => {
      const both = tool({
        name: "both",
        description: "Asks two things at once",
        async *run() {
          return yield* ask.all({ name: ask.text("Name?"), sure: ask.confirm("Sure?") });
        },
      });
      const { open } = await stage({ tools: [both] });
      const tab = open(how);

      const run = await tab.call("both");
      const sure = await tab.question(({ key }) => key === "sure");
      expect([sure.place, sure.places]).toEqual([2, 2]);
      tab.desk.answer(sure, { action: "accept", content: { value: true } });
      expect(run.state.value).toEqual({ state: "asking" });
      await tab.accept("Ada", ({ key }) => key === "name");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(happened(run, "result")).toMatchObject([
        { result: { structured: { name: "Ada", sure: true } } },
      ]);
    });
  },
  ["2026-07-28"],
);
