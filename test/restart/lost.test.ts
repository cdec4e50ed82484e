/**
 * A request is lost on its way back, after each step in turn, and is sent again: to the process that did the step, or to
 * another. How often the step is then done, and with which key. docs/durability.md says what is seen here.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../requirements.ts";
import { callAndAnswer, post, type Call, type Send } from "./stateless-calls.ts";
import { courseOf, uninterruptedCourse } from "./course.ts";
import { Ledger } from "./ledger.ts";
import { answers, input, runUninterrupted, type UninterruptedRun } from "./uninterrupted.ts";
import { ServerProcess } from "./server-process.ts";

const KEY = "the key that seals for all of them at first";

/** The steps that each request of the wizard's does, from the first. */
const STEPS = [[], ["hold"], [], ["greet"], ["greet#2"], ["price", "voucher"], ["book"]] as const;

/** Every step, and the request that does it. */
const places = STEPS.flatMap((steps, leg) => steps.map((step, index) => ({ step, leg, index })));

const ledger = new Ledger();
let live: UninterruptedRun;
let here: ServerProcess;
let elsewhere: ServerProcess;

beforeAll(async () => {
  live = await runUninterrupted();
  here = await ServerProcess.start(ledger.folder, KEY);
  elsewhere = await ServerProcess.start(ledger.folder, KEY);
});
beforeEach(() => ledger.erase());
afterAll(async () => {
  await here.kill();
  await elsewhere.kill();
  ledger.remove();
});

/** Sends everything here, but one request that is `lost` first and then sent again. */
const losing =
  (leg: number, lose: (call: Call) => Promise<void>, again: () => ServerProcess): Send =>
  async (call, at) => {
    if (at !== leg) return post(here.url, call);
    await lose(call);
    return post(again().url, call);
  };

/** Hangs up when the step is done, and its request not answered yet. Settles when the body has ended for it. */
async function hangUpAt(step: string, call: Call): Promise<void> {
  const over = new AbortController();
  ledger.stallAt(step);
  const lost = post(here.url, call, over.signal).catch((error: unknown) => String(error));
  await ledger.until(() => ledger.done.some((one) => one.step === step));
  ledger.stallNoMore();
  over.abort();
  expect(await lost).toContain("aborted");
  await ledger.until(() => ledger.ended.includes(here.pid ?? 0));
}

/** Never sees the answer that was given. */
async function loseAnswer(call: Call): Promise<void> {
  await post(here.url, call);
}

/** The steps of a wizard that did some of those of a request twice. */
const repeating = (leg: number, steps: readonly string[]): readonly string[] => [
  ...STEPS.slice(0, leg).flat(),
  ...steps,
  ...STEPS.slice(leg).flat(),
];

describe("a client that cuts its request after a step", { timeout: 30_000 }, () => {
  it.each(places)(
    verifies(
      ["C6", "E1"],
      "and sends it to the same process again: $step is done twice with one key, every other step once",
    ),
    async ({ step, leg, index }) => {
      const responses = await callAndAnswer(
        "wizard",
        input,
        answers,
        losing(
          leg,
          (call) => hangUpAt(step, call),
          () => here,
        ),
      );

      expect(courseOf(responses, ledger)).toEqual(
        uninterruptedCourse(live, repeating(leg, STEPS[leg]?.slice(0, index + 1) ?? [])),
      );
    },
  );

  it.each(places)(
    verifies(
      ["C6", "E1"],
      "and sends it to another process: $step is done twice with one key, every other step once",
    ),
    async ({ step, leg, index }) => {
      const responses = await callAndAnswer(
        "wizard",
        input,
        answers,
        losing(
          leg,
          (call) => hangUpAt(step, call),
          () => elsewhere,
        ),
      );

      expect(courseOf(responses, ledger)).toEqual(
        uninterruptedCourse(live, repeating(leg, STEPS[leg]?.slice(0, index + 1) ?? [])),
      );
      expect(new Set(ledger.done.filter((one) => one.step === step).map(({ pid }) => pid)).size).toBe(2);
    },
  );
});

describe("a client that loses the response to a request", { timeout: 30_000 }, () => {
  const requests = STEPS.map((steps, leg) => ({ leg, steps })).slice(1);

  it.each(requests)(
    verifies(
      ["E1", "E3"],
      "and sends request $leg again: it receives the same response, and every step is done once",
    ),
    async ({ leg }) => {
      const came = await callAndAnswer(
        "wizard",
        input,
        answers,
        losing(leg, loseAnswer, () => here),
      );

      expect(courseOf(came, ledger)).toEqual(uninterruptedCourse(live, STEPS.flat()));
    },
  );

  it.each(requests)(
    verifies(
      ["C6", "E1"],
      "and sends request $leg to another process: its steps are done twice with one key",
    ),
    async ({ leg, steps }) => {
      const came = await callAndAnswer(
        "wizard",
        input,
        answers,
        losing(leg, loseAnswer, () => elsewhere),
      );

      expect(courseOf(came, ledger)).toEqual(uninterruptedCourse(live, repeating(leg, steps)));
    },
  );

  it("and sends it to another process: every process continues from that response", async () => {
    const responses = await callAndAnswer(
      "draw",
      {},
      { "ask-1": "Ada", "ask-2": true },
      losing(1, loseAnswer, () => elsewhere),
    );

    const shown = responses[1]?.result?.inputRequests?.["ask-2"]?.params.message;
    expect(responses[2]?.result?.content).toEqual([{ type: "text", text: shown }]);
  });

  it("and sends the first request again: it is another run, whose steps have other keys", async () => {
    const responses = await callAndAnswer(
      "eager",
      {},
      { "ask-1": "Ada" },
      losing(0, loseAnswer, () => here),
    );

    expect(responses.at(-1)?.result?.content).toEqual([{ type: "text", text: "begin done, Ada" }]);
    expect(ledger.done.map(({ step }) => step)).toEqual(["begin", "begin"]);
    expect(new Set(ledger.done.map(({ key }) => key)).size).toBe(2);
  });
});

describe("a process that is killed during a request", { timeout: 30_000 }, () => {
  it(
    verifies(["C6", "E1"], "is replaced by another, which does the step again with the same key"),
    async () => {
      const doomed = await ServerProcess.start(ledger.folder, KEY);
      onTestFinished(() => doomed.kill());

      const responses = await callAndAnswer("wizard", input, answers, async (call, leg) => {
        if (leg !== 6) return post(doomed.url, call);
        ledger.stallAt("book");
        const lost = post(doomed.url, call).catch((error: unknown) => String(error));
        await ledger.until(() => ledger.done.some(({ step }) => step === "book"));
        ledger.stallNoMore();
        await doomed.kill();
        expect(await lost).toContain("terminated");
        return post(here.url, call);
      });

      expect(courseOf(responses, ledger)).toEqual(uninterruptedCourse(live, repeating(6, ["book"])));
      expect(ledger.ended).toEqual([here.pid]);
    },
  );
});
