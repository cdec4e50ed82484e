/** Calls that were handed over, where there is a store: whose they are, what else their clients are asked, and those that are not durable. */
import { ask, step, tool, UrlRequired } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openInbox, type AuditEntry } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { bearer, tokens } from "../auth/callers.ts";
import { onlyRun, yes } from "../durable/waiting.ts";
import { answerPage } from "../secrets/person.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import { StatelessClient, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { Gate } from "../wire/gate.ts";
import { alone, linkIn, onSession, runIn, saidIn } from "./model.ts";
import { eras, keys, login, mixed, order, twoProcesses } from "./processes.ts";

describe("a durable call that was handed over, where there is a store", () => {
  it("is nobody's but its caller's, in any process", async () => {
    const store = memoryStore();
    const options = { store, keys, tools: [order([])], whenUnsupported: "relay", tokens } as const;
    const [a, b] = [await listening(options), await listening(options)];
    const as = (url: string, token: string): StatelessClient =>
      new StatelessClient(overStatelessHttp(url, bearer(token)), {});
    const asked = saidIn((await as(a.url, tokens.ada).call("order")).answer);
    const run = runIn(asked);

    const refused = [
      await as(b.url, tokens.eve).call("photon_answer", { run, answer: "tea" }),
      await as(a.url, tokens.eve).call("photon_answer", { run, answer: "tea" }),
      await as(a.url, tokens.eve).call("photon_continue", { run }),
    ];
    const own = await as(b.url, tokens.ada).call("photon_answer", { run, answer: "tea" });

    for (const { answer } of refused) expect(textOf(answer)).toContain("No call waits under that run");
    expect(textOf(own.answer)).toContain("- Paid?");
  });

  it("is asked for a secret again by a process that does not know it, and goes on there", async () => {
    const { a, b } = await twoProcesses(onSession, { tools: [login], whenUnsupported: "page" });
    const [here, there] = [await a.model(), await b.model()];
    const one = await here.call("login");
    await answerPage(linkIn(one), "correct horse");
    const two = await here.call("photon_continue", { run: runIn(one) });
    await a.server.close();

    const three = await there.call("photon_continue", { run: runIn(one) });
    await answerPage(linkIn(three), "Ada");
    const four = await there.call("photon_continue", { run: runIn(three) });
    await answerPage(linkIn(four), "battery staple");
    const last = await there.call("photon_continue", { run: runIn(four) });

    expect(two.text).toContain("- Name?");
    expect(three.text).toContain("- Name?");
    expect(four.text).toContain("- Password?");
    expect(last.text).toBe("Ada 14");
  });

  it(verifies("B6", "does not let a model answer, or disturb, what its client is asked itself"), async () => {
    const store = memoryStore();
    const launch = tool({
      name: "launch",
      durable: true,
      async *run() {
        return (yield* ask.confirm("Launch?", { dangerous: true })) ? "launched" : "kept";
      },
    });
    const { url } = await listening({ keys, store, tools: [launch], whenUnsupported: "relay" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const calling = client.begin("tools/call", callOf("launch"));
    const question = await client.receive();
    const run = await onlyRun(openInbox({ store, keys }));
    const model = await onSession(url);

    const lengths = [0, 1, 2, 3, 4].map((length) => `${run}.${length}`);
    const refused = await Promise.all(
      lengths.flatMap((name) => [
        model.call("photon_answer", { run: name, answer: true }),
        model.call("photon_continue", { run: name }),
      ]),
    );
    await client.accept(question, false);

    for (const { text } of refused) expect(text).toContain("No call waits under that run");
    expect(textOf(await client.answerTo(calling))).toBe("kept");
  });

  it.each(["page", "relay"] as const)("is audited once, as it was answered: %s", async (way) => {
    const audited: AuditEntry[] = [];
    const audit = (entry: AuditEntry): void => void audited.push(entry);
    const { a, b } = await twoProcesses(onSession, { tools: [order([])], whenUnsupported: way, audit });
    const asked = await (await a.model()).call("order");
    if (way === "page") await answerPage(linkIn(asked), "tea");

    await (way === "page"
      ? (await b.model()).call("photon_continue", { run: runIn(asked) })
      : (await b.model()).call("photon_answer", { run: runIn(asked), answer: "tea" }));

    expect(audited).toMatchObject([{ tool: "order", action: "accept", answer: "tea", via: way }]);
  });

  it("sends somebody elsewhere first by a page, and begins again once they have been there", async () => {
    const visited: string[] = [];
    const connect = tool({
      name: "connect",
      durable: true,
      async *run() {
        if (visited.length === 0)
          throw new UrlRequired([{ message: "Sign in first", url: "https://example.com/in" }]);
        return `connected as ${yield* ask.text("Name?")}`;
      },
    });
    const { a, b } = await twoProcesses(alone, { tools: [connect], whenUnsupported: "page" });
    const [here, there] = [await a.model(), await b.model()];
    const first = await here.call("connect");
    visited.push("in");
    await answerPage(linkIn(first), "");

    const name = await here.call("photon_continue", { run: runIn(first) });
    await answerPage(linkIn(name), "Ada");
    const done = await there.call("photon_continue", { run: runIn(name) });

    expect(first.text).toContain("- Sign in first");
    expect(name.text).toContain("- Name?");
    expect(done.text).toBe("connected as Ada");
  });

  it("asks a client itself what that can show, and the store has that as well", async () => {
    const store = memoryStore();
    const { url } = await listening({ keys, store, tools: [mixed], whenUnsupported: "page" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const first = client.begin("tools/call", callOf("mixed"));
    const inbox = openInbox({ store, keys });
    const name = await client.receive();
    const listed = (await inbox.list()).runs[0]?.questions[0]?.message;
    await client.accept(name, "Ada");
    const handed = saidIn(await client.answerTo(first));
    const run = runIn(handed);
    await answerPage(linkIn(handed), "correct horse");

    const second = client.begin("tools/call", callOf("photon_continue", { run }));
    const sure = await client.receive();
    const listedNext = (await inbox.list()).runs[0]?.questions[0]?.message;
    await client.accept(sure, true);

    expect([listed, listedNext]).toEqual(["Name?", "Sure?"]);
    expect(textOf(await client.answerTo(second))).toBe("Ada 13 true");
  });

  it("tells a second call that its client is being asked", async () => {
    const { url } = await listening({ keys, store: memoryStore(), tools: [mixed], whenUnsupported: "page" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const first = client.begin("tools/call", callOf("mixed"));
    await client.accept(await client.receive(), "Ada");
    const handed = saidIn(await client.answerTo(first));
    await answerPage(linkIn(handed), "correct horse");
    const second = client.begin("tools/call", callOf("photon_continue", { run: runIn(handed) }));
    const sure = await client.receive();

    const third = await (await onSession(url)).call("photon_continue", { run: runIn(handed) });
    await client.accept(sure, true);

    expect(third).toMatchObject({ isError: true, text: expect.stringContaining("its client is asking") });
    expect(textOf(await client.answerTo(second))).toBe("Ada 13 true");
  });

  it("follows a run that another process has continued, and gives a text that is no error", async () => {
    const visit = tool({
      name: "visit",
      durable: true,
      output: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      async *run() {
        yield* ask.url("Sign in.", "https://example.com/in");
        const name = yield* ask.text("Name?");
        yield* ask.url("Pay.", "https://example.com/pay");
        return { name };
      },
    });
    const store = memoryStore();
    const lease = store.lease.bind(store);
    // No process sees that another one lives: each takes over the runs that the other has claimed.
    store.lease = async (name, holder, time) => name.startsWith("process:") || lease(name, holder, time);
    const options = { keys, store, tools: [visit], whenUnsupported: "relay", report() {} } as const;
    const [a, b] = [await listening(options), await listening(options)];
    const client = await overWebSocket(a.url);
    await client.initialize("2025-11-25", { elicitation: { form: {} } });
    const handed = saidIn(await client.callTool("visit"));
    const run = runIn(handed);
    const following = client.begin("tools/call", callOf("photon_answer", { run, answer: "done" }));
    await client.receive();

    const there = await onSession(b.url);
    const name = await there.call("photon_continue", { run });
    const pay = await there.call("photon_answer", { run: runIn(name), answer: "Ada" });
    const followed = saidIn(await client.answerTo(following));

    expect(handed).toMatchObject({ isError: true, text: expect.stringContaining("- Sign in.") });
    expect(name).toMatchObject({ isError: false, text: expect.stringContaining("- Name?") });
    expect(followed).toMatchObject({ isError: false, text: pay.text });
  });

  it("asks a client of 2026-07-28 itself what that can show, in the middle of going on", async () => {
    const { url } = await listening({ keys, store: memoryStore(), tools: [mixed], whenUnsupported: "page" });
    const client = new StatelessClient(overStatelessHttp(url), { elicitation: {} });
    const name = await client.call("mixed");
    const handed = saidIn((await client.accept(name, { "ask-1": "Ada" })).answer);
    const run = runIn(handed);
    await answerPage(linkIn(handed), "correct horse");

    const sure = await client.call("photon_continue", { run });
    const last = await client.accept(sure, { "ask-3": true });

    expect(textOf(last.answer)).toBe("Ada 13 true");
  });

  it("counts the first answer, also where the other way to give one is its client", async () => {
    const store = memoryStore();
    const { url } = await listening({ keys, store, tools: [mixed], whenUnsupported: "page", report() {} });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const first = client.begin("tools/call", callOf("mixed"));
    await client.accept(await client.receive(), "Ada");
    const handed = saidIn(await client.answerTo(first));
    const run = runIn(handed);
    await answerPage(linkIn(handed), "correct horse");
    const second = client.begin("tools/call", callOf("photon_continue", { run }));
    const sure = await client.receive();
    const inbox = openInbox({ store, keys });
    const [waiting] = (await inbox.list()).runs;

    await inbox.answer(waiting?.run ?? "", "ask-3", yes(false));
    const come = await inbox.wait(waiting?.run ?? "");
    await client.accept(sure, true);

    expect(come).toMatchObject({ result: { content: [{ text: "Ada 13 false" }] } });
    expect(textOf(await client.answerTo(second))).toBe("Ada 13 false");
    expect(textOf(await client.callTool("photon_continue", { run }))).toBe("Ada 13 false");
  });

  it("stays where it was when the call that goes on with it is cancelled, and goes on with the next", async () => {
    const done: string[] = [];
    let isStuck = true;
    const gate = new Gate();
    const working = tool({
      name: "working",
      durable: true,
      async *run(__, { signal }) {
        const what = yield* ask.text("What?");
        yield* step("one", () => void done.push("one"));
        try {
          if (isStuck) await gate.passed(signal);
        } finally {
          done.push("finally");
        }
        yield* step("two", () => void done.push("two"));
        return what;
      },
    });
    const { url } = await listening({
      keys,
      store: memoryStore(),
      tools: [working],
      whenUnsupported: "relay",
      report() {},
    });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", {});
    const run = runIn(saidIn(await client.callTool("working")));
    const going = client.begin("tools/call", callOf("photon_answer", { run, answer: "tea" }));
    await gate.reached;

    await client.notify("notifications/cancelled", { requestId: going });
    await expect.poll(() => done).toEqual(["one", "finally"]);
    isStuck = false;
    const last = await client.callTool("photon_answer", { run, answer: "tea" });

    expect(textOf(last)).toBe("tea");
    expect(done).toEqual(["one", "finally", "finally", "two"]);
  });
});

describe("a call that was handed over and is not durable, where there is a store", () => {
  const greet = tool({
    name: "greet",
    async *run() {
      return `Hello, ${yield* ask.text("Name?")}`;
    },
  });

  it(verifies("E4", "is gone on with in 2026-07-28 by whichever process is called"), async () => {
    const { a, b } = await twoProcesses(alone, { tools: [greet], whenUnsupported: "relay" });
    const asked = await (await a.model()).call("greet");

    const done = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "Ada" });

    expect(done.text).toBe("Hello, Ada");
  });

  it(verifies("D5", "says on a session that another process has it"), async () => {
    const { a, b } = await twoProcesses(onSession, { tools: [greet], whenUnsupported: "relay" });
    const here = await a.model();
    const asked = await here.call("greet");

    const refused = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "Ada" });

    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining("waits in another process"),
    });
    expect((await here.call("photon_answer", { run: runIn(asked), answer: "Ada" })).text).toBe("Hello, Ada");
  });

  it.each(Object.entries(eras))("says so in %s once its process has ended", async (_, arrive) => {
    const { a, b } = await twoProcesses(arrive, { tools: [greet], whenUnsupported: "relay" });
    const asked = await (await a.model()).call("greet");
    await a.server.close();

    const refused = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "Ada" });

    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("That process has ended") });
  });
});
