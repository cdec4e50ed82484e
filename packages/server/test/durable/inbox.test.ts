/** The inbox lists the open questions of durable runs, and takes their answers (ARCHITECTURE.md §5.4). */
import { randomBytes } from "node:crypto";
import { ask, step, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, openInbox, type AuditEntry, type ServerOptions } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { serveStateless } from "../wire/servers.ts";
import { type Exchange, codeIn, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { onlyRun, yes } from "./waiting.ts";

const keys = [randomBytes(32).toString("base64")];
const report = (): void => {};

const serve = (tools: readonly Tool<never>[], store: Store, more: ServerOptions = {}) =>
  serveStateless({ tools, keys, store, lease: "200ms", report, ...more });

/** Asks for a name, does something, asks whether to go on. */
function greet(done: string[] = []): Tool<never> {
  return tool({
    name: "greet",
    durable: true,
    async *run() {
      const name = yield* ask.text("Name?", { id: "name", maxLength: 10, description: "As on the door" });
      yield* step("note", () => void done.push(name));
      const isSure = yield* ask.confirm("Sure?", { id: "sure" });
      return isSure ? `Hello ${name}` : "Nothing.";
    },
  });
}

/** A tool was called, and waits for its first answer. */
async function called(asking: Tool<never>, more: ServerOptions = {}) {
  const store = memoryStore();
  const { client, server } = await serve([asking], store, more);
  const asked = await client.call(asking.name ?? "");
  return { store, client, server, asked, run: await onlyRun(server.inbox) };
}

describe("the inbox", () => {
  it(
    verifies("E6", "shows what runs wait for, as plain data, to any program that has the store and the keys"),
    async () => {
      const store = memoryStore();
      const before = Date.now();
      const { client } = await serve([greet()], store);
      await client.call("greet");

      const { runs, next } = await openInbox({ store, keys }).list();

      expect(JSON.parse(JSON.stringify(runs))).toEqual([
        {
          run: expect.any(String),
          tool: "greet",
          principal: "",
          since: expect.any(Number),
          questions: [
            {
              emit: "ask",
              ask: "text",
              id: "name",
              key: "name",
              attempt: 1,
              message: "Name?",
              description: "As on the door",
              maxLength: 10,
              wait: 7 * 86_400_000,
              deadline: expect.any(Number),
              expires: expect.any(Number),
            },
          ],
        },
      ]);
      expect(next).toBeUndefined();
      expect(runs[0]?.since).toBeGreaterThanOrEqual(before);
      expect(runs[0]?.questions[0]?.expires).toBeGreaterThan(before);
    },
  );

  it(verifies(["E1", "E6"], "takes answers, and the run goes on to its end without a client"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    const { client } = await serve([greet(done)], store);
    await client.call("greet");
    const inbox = openInbox({ store, keys });
    const run = await onlyRun(inbox);

    await inbox.answer(run, "name", yes("Ada"));
    const waiting = await inbox.wait(run);
    await inbox.answer(run, "sure", yes(true));
    const ended = await inbox.wait(run);

    expect(waiting).toMatchObject({ run, questions: [{ key: "sure" }] });
    expect(ended).toMatchObject({ run, tool: "greet", result: { content: [{ text: "Hello Ada" }] } });
    expect(done).toEqual(["Ada"]);
    expect(await inbox.result(run)).toEqual(ended);
    expect((await inbox.list()).runs).toEqual([]);
  });

  it("is a property of a server that has a store, and an error where it has none", async () => {
    const store = memoryStore();
    const { server, client } = await serve([greet()], store);
    await client.call("greet");

    expect((await server.inbox.list()).runs).toHaveLength(1);
    expect(() => createServer({}).inbox).toThrow("There is no inbox without a store");
  });

  it("gives what came of the run to the client that comes back with the state it had", async () => {
    const { client, server, asked: one, run } = await called(greet());
    await server.inbox.answer(run, "name", yes("Ada"));
    await server.inbox.wait(run);

    const asked = await client.retry(one);
    await server.inbox.answer(run, "sure", yes(true));
    await server.inbox.wait(run);
    const late = await client.accept(asked, { sure: false });

    expect(Object.keys(questionsIn(asked))).toEqual(["sure"]);
    expect(textOf(late.answer)).toBe("Hello Ada");
  });

  it("leaves a question that its client answered first", async () => {
    const { client, server, asked: one, run } = await called(greet());
    const two = await client.accept(one, { name: "Ada" });

    await expect(server.inbox.answer(run, "name", yes("Bob"))).rejects.toMatchObject({
      code: "NOT_ANSWERED",
    });

    expect(textOf((await client.accept(two, { sure: true })).answer)).toBe("Hello Ada");
  });

  it(verifies("E6", "lets the first of two answers win, and tells the other"), async () => {
    const store = memoryStore();
    const { client } = await serve([greet()], store);
    await client.call("greet");
    const inbox = openInbox({ store, keys });
    const run = await onlyRun(inbox);

    const both = await Promise.allSettled([
      inbox.answer(run, "name", yes("Ada")),
      inbox.answer(run, "name", yes("Bob")),
    ]);

    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "NOT_ANSWERED" },
    });
  });

  it("takes answers to several questions of one round at once", async () => {
    const store = memoryStore();
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const { a, b } = yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
        return `${a} ${b}`;
      },
    });
    const { client } = await serve([both], store);
    await client.call("both");
    const inbox = openInbox({ store, keys });
    const run = await onlyRun(inbox);

    await Promise.all([inbox.answer(run, "b", yes("2")), inbox.answer(run, "a", yes("1"))]);

    expect(await inbox.wait(run)).toMatchObject({ result: { content: [{ text: "1 2" }] } });
  });

  it("asks what is left of a round, of the inbox and of the client", async () => {
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const { a, b } = yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
        return `${a} ${b}`;
      },
    });
    const { client, server, asked: one, run } = await called(both);
    await server.inbox.answer(run, "a", yes("1"));

    expect((await server.inbox.find(run))?.questions.map(({ key }) => key)).toEqual(["b"]);
    expect(textOf((await client.accept(one, { a: "other", b: "2" })).answer)).toBe("1 2");
  });

  it("goes on with a round that ended because one of its questions was declined", async () => {
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const { action } = yield* ask.outcome(ask.all({ a: ask.text("A?"), b: ask.text("B?") }));
        return action;
      },
    });
    const { server, run } = await called(both);

    await server.inbox.answer(run, "b", { action: "decline" });

    expect(await server.inbox.wait(run)).toMatchObject({ result: { content: [{ text: "decline" }] } });
  });

  it("has an answer that does not fit refused, and nobody else is concerned", async () => {
    const { client, server, asked: one, run } = await called(greet());

    await expect(server.inbox.answer(run, "name", yes("much too long"))).rejects.toMatchObject({
      code: "INVALID_ANSWER",
      message: 'The answer to "Name?" (name) must have at most 10 characters.',
    });
    // Nobody but TypeScript keeps a program from this.
    const never = { action: "timeout" } as unknown as { readonly action: "cancel" };
    await expect(server.inbox.answer(run, "name", never)).rejects.toMatchObject({ code: "ILLEGAL_REPLY" });

    expect(Object.keys(questionsIn(await client.accept(one, { name: "Ada" })))).toEqual(["sure"]);
  });

  it.each(["decline", "cancel"] as const)("takes a %s for what it is", async (action) => {
    const { server, run } = await called(greet());

    await server.inbox.answer(run, "name", { action });

    expect(await server.inbox.wait(run)).toMatchObject({ result: { isError: true } });
  });

  it("takes no secret: that has a page of its own", async () => {
    const login = tool({
      name: "login",
      durable: true,
      async *run() {
        yield* ask.secret("Password?", { id: "password" });
        return "in";
      },
    });
    const { store, server, run } = await called(login);

    await expect(server.inbox.answer(run, "password", yes("hunter2"))).rejects.toThrow(
      "it is answered only on a page of the server",
    );
    expect((await store.read(run)).join("")).not.toContain("hunter2");
    await server.inbox.answer(run, "password", { action: "decline" });
    expect(await server.inbox.wait(run)).toMatchObject({ result: { isError: true } });
  });

  it("refuses an answer to what is not asked, to an earlier attempt, and to a run that is not there", async () => {
    const { server, run } = await called(greet());

    for (const [where, key, options] of [
      [run, "sure", {}],
      [run, "constructor", {}],
      [run, "name", { attempt: 2 }],
      ["no-such-run", "name", {}],
    ] as const)
      await expect(server.inbox.answer(where, key, yes(true), options)).rejects.toThrow("it is not open");
  });

  it("refuses an answer that comes after its time", async () => {
    const { store, run } = await called(greet());
    const inWeeks = { now: () => Date.now() + 7 * 86_400_000 + 60_000, after: () => () => {} };
    const inbox = openInbox({ store, keys, clock: inWeeks });

    await expect(inbox.answer(run, "name", yes("Ada"))).rejects.toThrow("it has expired");
  });

  it(
    verifies(["E3", "E6"], "shows and lets answer only what a principal was asked, where one is named"),
    async () => {
      const store = memoryStore();
      const { server, client } = await serve([greet()], store, { authenticate: () => "ada" });
      await client.call("greet");
      const { inbox } = server;
      const run = await onlyRun(inbox);

      expect((await inbox.list({ principal: "ada" })).runs).toHaveLength(1);
      expect((await inbox.list({ principal: "bob" })).runs).toEqual([]);
      expect(await inbox.find(run, { principal: "bob" })).toBeUndefined();
      await expect(inbox.answer(run, "name", yes("Bob"), { principal: "bob" })).rejects.toMatchObject({
        code: "NOT_ANSWERED",
      });
      await inbox.answer(run, "name", { action: "cancel" }, { principal: "ada" });
      await inbox.wait(run);
      expect(await inbox.result(run, { principal: "bob" })).toBeUndefined();
      expect(await inbox.wait(run, { principal: "bob" })).toBeUndefined();
      expect(await inbox.result(run, { principal: "ada" })).toMatchObject({ principal: "ada" });
    },
  );

  it("is listed page by page, those that have waited longest first", async () => {
    const store = memoryStore();
    const { client, server } = await serve([greet()], store);
    for (let n = 0; n < 5; n++) await client.call("greet");

    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await server.inbox.list({ after, limit: 2 });
      seen.push(...page.runs.map(({ run }) => run));
      after = page.next;
    } while (after !== undefined);

    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  it("shows nothing to those who have other keys, but that there is something", async () => {
    const store = memoryStore();
    const { client } = await serve([greet()], store);
    await client.call("greet");

    const others = openInbox({ store, keys: [randomBytes(32).toString("base64")] });

    expect(await others.list()).toEqual({ runs: [], unreadable: 1 });
  });

  it("is in the audit: who was asked what, and that the answer came this way", async () => {
    const entries: AuditEntry[] = [];
    const { server, run } = await called(greet(), { audit: (entry) => void entries.push(entry) });

    await server.inbox.answer(run, "name", yes("Ada"));

    expect(entries).toEqual([
      expect.objectContaining({
        run,
        tool: "greet",
        input: {},
        action: "accept",
        answer: "Ada",
        via: "inbox",
      }),
    ]);
  });

  it("leaves out a visit that a body wants before it begins: no log has it, and only its client can make it", async () => {
    const { UrlRequired } = await import("@photon/core");
    const store = memoryStore();
    let isSignedIn = false;
    const signed = tool({
      name: "signed",
      durable: true,
      async *run() {
        if (!isSignedIn) throw new UrlRequired([{ message: "Sign in", url: "https://example.com/in" }]);
        return yield* ask.text("Name?");
      },
    });
    const { client, server } = await serve([signed], store);
    const one: Exchange = await client.call("signed");

    expect((await server.inbox.list()).runs).toEqual([]);
    const { entries: opened } = await store.list({ limit: 10 });
    for (const { run } of opened)
      await expect(server.inbox.answer(run, "url-1", { action: "accept" })).rejects.toMatchObject({
        code: "NOT_ANSWERED",
      });
    isSignedIn = true;
    const two = await client.retry(one, { "url-1": { action: "accept" } });
    expect(codeIn(two)).toBeUndefined();
    expect(Object.keys(questionsIn(two))).toEqual(["ask-1"]);
  });
});
