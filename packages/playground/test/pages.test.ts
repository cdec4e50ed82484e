/** Questions that are answered on a page of the server's: the desk waits for whoever has gone there (2026-07-28). */
import { ask, emit, tool } from "@photon/core";
import { testClock, type TestClock } from "@photon/core/testing";
import { expect, it } from "vitest";
import { answerPage } from "../../server/test/secrets/person.ts";
import { Gate } from "../../server/test/wire/gate.ts";
import type { Question } from "../src/desk/question.ts";
import { stage } from "./stage.ts";
import { ended, happened, until, type Tab } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const secret = tool({
  name: "secret",
  description: "Asks for a secret",
  async *run() {
    const { action } = yield* ask.outcome(ask.secret("The password?", { timeout: "7d" }));
    return `It was a ${action}.`;
  },
});

const urlOf = ({ wanted }: Question): string => (wanted.by === "url" ? wanted.url : "");

/** Somebody goes to the page of the next question; gives the question as it is then. */
async function goToPage(tab: Tab): Promise<Question> {
  const { id } = await tab.question(({ wanted }) => wanted.by === "url");
  const asked = tab.desk.questions.value.find((one) => one.id === id);
  if (asked !== undefined) tab.desk.visit(asked);
  const isThere = (one: Question): boolean => one.id === id && one.waitsFor === "page";
  const questions = await until(tab.desk.questions, (all) => all.some(isThere));
  const there = questions.find(isThere);
  if (there === undefined) throw new Error("Nobody has gone there.");
  return there;
}

/** So many requests with answers have gone out. */
const sent = (tab: Tab, times: number): Promise<unknown> =>
  until(tab.desk.wire, (all) => all.filter(({ text }) => text.includes("inputResponses")).length >= times);

/** Lets the server's time pass until something has happened. */
async function passTime(clock: TestClock, url: string, happens: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  void happens.then(() => over.abort());
  while (!over.signal.aborted) {
    await clock.advance("10s");
    // A server that hears no sign of life in all that time would hang up: it has the time to hear one.
    await (await fetch(`${url}/healthz`)).text();
  }
}

onEveryWay(
  (how) => {
    it("does not ask anew while a page is being filled in, however long that takes", async () => {
      const clock = testClock(0);
      const { open, url } = await stage({ tools: [secret], clock });
      const tab = open(how);
      const run = await tab.call("secret");
      const question = await goToPage(tab);

      await passTime(clock, url, sent(tab, 3));
      expect(tab.desk.questions.value).toEqual([question]);
      await answerPage(urlOf(question), "hunter22");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(happened(run, "asked", "answered")).toHaveLength(2);
    });

    it("says at once that somebody has thought better of it", async () => {
      const { open } = await stage({ tools: [secret], clock: testClock(0) });
      const tab = open(how);
      const run = await tab.call("secret");
      const question = await goToPage(tab);
      await sent(tab, 1);

      tab.desk.answer(question, { action: "decline" });

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("It was a decline.");
    });

    it("still waits for a page after a reload, of a tool that is not durable", async () => {
      const { open } = await stage({ tools: [secret] });
      const tab = open(how);
      await tab.call("secret");
      const question = await goToPage(tab);
      await sent(tab, 1);

      tab.reload();
      const [run] = await until(tab.desk.runs, (runs) => runs.length > 0);
      expect(tab.desk.questions.value).toMatchObject([{ id: question.id, waitsFor: "page" }]);
      await answerPage(urlOf(question), "hunter22");

      expect(run && (await ended(run))).toEqual({ state: "done" });
    });

    it("asks other things meanwhile, and sends everything together", async () => {
      const both = tool({
        name: "both",
        description: "Asks for two things at once",
        async *run() {
          const { name } = yield* ask.all({ key: ask.secret("The password?"), name: ask.text("Name?") });
          return `Thanks, ${name}.`;
        },
      });
      const { open } = await stage({ tools: [both] });
      const tab = open(how);
      const run = await tab.call("both");

      const question = await goToPage(tab);
      expect(run.state.value).toEqual({ state: "asking" });
      await tab.accept("Ada", ({ key }) => key === "name");
      await answerPage(urlOf(question), "hunter22");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("Thanks, Ada.");
    });

    it("takes the question off as soon as the tool goes on", async () => {
      const gate = new Gate();
      const slow = tool({
        name: "slow",
        description: "Works after it has asked",
        async *run() {
          yield* ask.secret("The password?");
          yield emit.status("Working");
          await gate.passed();
          return "Done";
        },
      });
      const { open } = await stage({ tools: [slow] });
      const tab = open(how);
      const run = await tab.call("slow");
      await answerPage(urlOf(await goToPage(tab)), "hunter22");

      await gate.reached;
      await until(run.state, ({ state }) => state === "running");

      expect(tab.desk.questions.value).toEqual([]);
      gate.open();
      expect(await ended(run)).toEqual({ state: "done" });
      expect(happened(run, "status")).toEqual([{ kind: "status", message: "Working" }]);
    });
  },
  ["2026-07-28"],
);
