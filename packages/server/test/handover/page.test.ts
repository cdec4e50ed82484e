/** A client that shows no questions, on a server that gives people pages: the model passes the link on. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { answerPage, declinePage, statusAt, uploadTo } from "../secrets/person.ts";
import { login, upload } from "../secrets/tools.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { greet } from "../wire/tools.ts";
import { eras, linkIn, pageAwaited, runIn } from "./model.ts";

const twice = tool({
  name: "twice",
  async *run() {
    return `${yield* ask.text("One?")} ${yield* ask.text("Two?")}`;
  },
});
const both = tool({
  name: "both",
  async *run() {
    const { one, two } = yield* ask.all({ one: ask.text("One?"), two: ask.text("Two?") });
    return `${one} ${two}`;
  },
});
const either = tool({
  name: "either",
  async *run() {
    const answers = yield* ask.outcome(ask.all({ one: ask.text("One?"), two: ask.text("Two?") }));
    return `${answers.action} ${yield* ask.text("Three?")}`;
  },
});
const launch = tool({
  name: "launch",
  async *run() {
    return (yield* ask.confirm("Launch?", { dangerous: true })) ? "launched" : "kept";
  },
});

describe.each(Object.entries(eras))("in %s", (_, meet) => {
  it(verifies("B4", "a question is a link, and the call goes on once it was answered"), async () => {
    const { model } = await meet({ tools: [greet], whenUnsupported: "page" });
    const { call, tools } = await model();

    const handed = await call("greet");
    await answerPage(linkIn(handed), "Ada");
    const done = await call("photon_continue", { run: runIn(handed) });

    expect(await tools()).toEqual(["greet", "photon_continue", "photon_answer"]);
    expect(handed.text).toContain("- Name?\n  http");
    expect(handed.text).toContain("photon_continue");
    expect(handed.isError).toBe(false);
    expect(done.text).toBe("Hello, Ada");
  });

  it("says so where nobody has answered yet, with the same link", async () => {
    const clock = countingClock();
    const { model } = await meet({ tools: [greet], whenUnsupported: "page", clock });
    const { call } = await model();
    const handed = await call("greet");

    const waiting = call("photon_continue", { run: runIn(handed) });
    await pageAwaited(clock);
    clock.leap(45_000);
    const said = await waiting;
    await answerPage(linkIn(said), "Ada");
    const done = await call("photon_continue", { run: runIn(said) });

    expect(said.text).toMatch(/^There is no answer yet\./);
    expect(linkIn(said)).toBe(linkIn(handed));
    expect(done.text).toBe("Hello, Ada");
  });

  it("waits for an answer that comes while it is asked for", async () => {
    const clock = countingClock();
    const { model } = await meet({ tools: [greet], whenUnsupported: "page", clock });
    const { call } = await model();
    const handed = await call("greet");

    const waiting = call("photon_continue", { run: runIn(handed) });
    await pageAwaited(clock);
    await answerPage(linkIn(handed), "Ada");

    expect((await waiting).text).toBe("Hello, Ada");
  });

  it(verifies("B1", "a no on the page is a no"), async () => {
    const { model } = await meet({ tools: [greet], whenUnsupported: "page" });
    const { call } = await model();
    const handed = await call("greet");
    await declinePage(linkIn(handed));

    const done = await call("photon_continue", { run: runIn(handed) });

    expect(done).toMatchObject({ isError: true, text: expect.stringContaining("declined") });
  });

  it("one question follows the other, under the same run", async () => {
    const { model } = await meet({ tools: [twice], whenUnsupported: "page" });
    const { call } = await model();

    const one = await call("twice");
    await answerPage(linkIn(one), "a");
    const two = await call("photon_continue", { run: runIn(one) });
    await answerPage(linkIn(two), "b");
    const done = await call("photon_continue", { run: runIn(two) });

    expect(runIn(two)).toBe(runIn(one));
    expect(linkIn(two)).not.toBe(linkIn(one));
    expect(done.text).toBe("a b");
  });

  it("several questions are several links; what was not answered in time is given again", async () => {
    const clock = countingClock();
    const { model } = await meet({ tools: [both], whenUnsupported: "page", clock });
    const { call } = await model();
    const handed = await call("both");
    const [one = "", two = ""] = handed.text.match(/http\S+\/ask\/\S+/g) ?? [];

    const waiting = call("photon_continue", { run: runIn(handed) });
    await answerPage(one, "a");
    await pageAwaited(clock);
    clock.leap(45_000);
    const half = await waiting;
    await answerPage(two, "b");
    const done = await call("photon_continue", { run: runIn(handed) });

    expect(linkIn(half)).toBe(two);
    expect(half.text).not.toContain(one);
    expect(done.text).toBe("a b");
  });

  it.each([false, true])(
    "a page is closed whose question is not open any more (durable: %s)",
    async (durable) => {
      const stored = durable ? { keys: [randomBytes(32).toString("base64")], store: memoryStore() } : {};
      const clock = countingClock();
      const tools = [{ ...either, durable }];
      const { model } = await meet({ tools, whenUnsupported: "page", clock, ...stored });
      const { call } = await model();
      const handed = await call("either");
      const [one = "", two = ""] = handed.text.match(/http\S+\/ask\/\S+/g) ?? [];
      await declinePage(one);
      const continuing = call("photon_continue", { run: runIn(handed) });
      if (!durable) {
        // The store tells at once that a page was answered; otherwise the call waits for both pages.
        await pageAwaited(clock);
        clock.leap(45_000);
      }

      expect((await continuing).text).toContain("Three?");
      expect(await statusAt(two)).toBe(410);
    },
  );

  it(
    verifies(
      ["A3", "B4", "B6"],
      "a secret and a file reach their person as well, and nothing of them the model",
    ),
    async () => {
      const { model } = await meet({ tools: [login, upload], whenUnsupported: "page" });
      const { call } = await model();

      const [secret, file] = [await call("login"), await call("upload")];
      await answerPage(linkIn(secret), "correct horse");
      await uploadTo(linkIn(file), "me.txt", "a face");
      const [known, seen] = [
        await call("photon_continue", { run: runIn(secret) }),
        await call("photon_continue", { run: runIn(file) }),
      ];

      expect(known.text).toBe("true 13 [secret]");
      const { path, text } = JSON.parse(seen.text) as Record<string, string>;
      expect(text).toBe("a face");
      await expect.poll(() => existsSync(path ?? "")).toBe(false);
    },
  );

  it.each([
    ["a question", greet, "Ada"],
    ["a secret", login, "hunter2hunter2"],
    ["what is dangerous", launch, true],
  ])(
    verifies(["B1", "B6"], "a model does not answer in the place of the page: %s"),
    async (__, asking, answer) => {
      const { model } = await meet({ tools: [asking], whenUnsupported: "page" });
      const { call } = await model();
      const handed = await call(asking.name ?? "");

      const refused = await call("photon_answer", { run: runIn(handed), answer });
      const alsoRefused = await call("photon_answer", { run: runIn(handed), action: "decline" });

      expect(refused.isError).toBe(true);
      expect(refused.text).toContain("photon_continue");
      expect(alsoRefused.isError).toBe(true);
      expect(await statusAt(linkIn(handed))).toBe(200);
    },
  );

  it("a question that the client can show is shown, whatever becomes of others", async () => {
    const { model } = await meet({ tools: [login], whenUnsupported: "page" });
    const { call } = await model({ elicitation: { form: {} } });

    const handed = await call("login");
    await answerPage(linkIn(handed), "correct horse");

    expect((await call("photon_continue", { run: runIn(handed) })).text).toBe("true 13 [secret]");
  });

  it(verifies("B4", "what the ask falls back on wins"), async () => {
    const soft = tool({
      name: "soft",
      async *run() {
        return yield* ask.text("Name?", { fallback: { unsupported: "stranger" } });
      },
    });
    const { model } = await meet({ tools: [soft], whenUnsupported: "page" });

    expect((await (await model()).call("soft")).text).toBe("stranger");
  });

  it("is said for one tool, or against one: the two tools are there for everybody then", async () => {
    const handing = { ...greet, name: "handing", whenUnsupported: "page" } as const;
    const failing = { ...greet, name: "failing", whenUnsupported: "fail" } as const;
    const { model } = await meet({ tools: [handing, failing], whenUnsupported: "fail" });
    const { call, tools } = await model();
    const rich = await model({ elicitation: { form: {}, url: {} } });

    const [handed, failed] = [await call("handing"), await call("failing")];

    expect(handed.text).toContain("/ask/");
    expect(failed.text).toContain("cannot be asked");
    expect(await tools()).toEqual(["failing", "handing", "photon_continue", "photon_answer"]);
    expect(await rich.tools()).toEqual(await tools());
  });

  it(verifies("B4", "without any of this the call fails, and the two tools are not there"), async () => {
    const { model } = await meet({ tools: [greet] });
    const { call, tools } = await model();

    const { text, isError, wire } = await call("greet");
    const unknown = await call("photon_continue", { run: "any" });

    expect(text).toContain("cannot be asked");
    expect(isError || wire.error?.code === -32021).toBe(true);
    expect(await tools()).toEqual(["greet"]);
    expect(unknown.wire.error?.code).toBe(-32602);
  });
});
