/** What the inbox tells of a call beside its questions: enough to know what "Delete it?" is about, and no secret. */
import { randomBytes } from "node:crypto";
import { ask, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { openInbox, type WaitingRun } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { answerPage } from "../secrets/person.ts";
import { serveStateless, listening, transports } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { ELICITATION, StatelessClient, questionsIn } from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];
const SECRET = "correct horse battery";
const PAGES = { elicitation: { form: {}, url: {} } };

const remove: Tool<never> = tool({
  name: "delete_customer",
  title: "Delete a customer",
  description: "Deletes a customer and all of their orders.",
  durable: true,
  input: { type: "object" },
  async *run() {
    return (yield* ask.confirm("Delete it?", { id: "sure", dangerous: true })) ? "Deleted." : "Kept.";
  },
});

/** Asks for a secret, and then whether to use it. */
const login: Tool<never> = tool({
  name: "login",
  durable: true,
  input: { type: "object" },
  async *run() {
    const password = yield* ask.secret("Password?", { id: "password" });
    const isSure = yield* ask.confirm("Sign in?", { id: "sure" });
    return `${password.reveal().length} ${isSure}`;
  },
});

const serve = (store: Store, tools = [remove, login]) =>
  serveStateless({ tools, keys, store, lease: "200ms", report() {} }, PAGES);

async function onlyWaiting(store: Store): Promise<WaitingRun | undefined> {
  return (await openInbox({ store, keys }).list()).runs[0];
}

/** Calls `login`, and gives it its secret. */
async function loggedIn(store: Store, input: { readonly [name: string]: unknown }) {
  const { client, server } = await serve(store);
  const first = await client.call("login", input);
  await answerPage(String(questionsIn(first)["password"]?.params?.["url"]), SECRET);
  await client.retry(first, { password: { action: "accept" } });
  return { client, server };
}

describe("the inbox tells of a call", () => {
  it("its tool's title and description, and its input", async () => {
    const store = memoryStore();
    const { client } = await serve(store);
    await client.call("delete_customer", { customer: { id: 42, name: "Ada" } });

    expect(await onlyWaiting(store)).toMatchObject({
      tool: "delete_customer",
      title: "Delete a customer",
      description: "Deletes a customer and all of their orders.",
      input: { customer: { id: 42, name: "Ada" } },
      questions: [{ message: "Delete it?" }],
    });
  });

  it("the same once a process continues it without its client", async () => {
    const store = memoryStore();
    const twice = tool({
      name: "twice",
      title: "Ask twice",
      durable: true,
      input: { type: "object" },
      async *run() {
        yield* ask.text("One?", { id: "one" });
        yield* ask.text("Two?", { id: "two" });
      },
    });
    const { client, server } = await serve(store, [twice]);
    await client.call("twice", { id: 42 });
    const { run = "" } = (await onlyWaiting(store)) ?? {};
    await server.inbox.answer(run, "one", { action: "accept", value: "1" });

    expect(await server.inbox.wait(run)).toMatchObject({
      title: "Ask twice",
      input: { id: 42 },
      questions: [{ key: "two" }],
    });
  });

  it("nothing more than a person reads, whatever it was called with", async () => {
    const store = memoryStore();
    const { client } = await serve(store);
    let deep: unknown = 0;
    for (let level = 0; level < 400; level++) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key ${index}`, index]));
    await client.call("delete_customer", { id: 42, text: "x".repeat(1_000_000), deep, wide });

    const { input } = (await onlyWaiting(store)) ?? {};
    expect(input).toMatchObject({ id: 42, text: expect.stringMatching(/^x+…$/) });
    expect(JSON.stringify(input).length).toBeLessThan(10_000);
    expect(JSON.stringify(input)).not.toContain("[".repeat(10));
  });

  it("no secret that was given to it, however its input spells it", async () => {
    const store = memoryStore();
    await loggedIn(store, {
      user: "ada",
      note: `${"y".repeat(990)} ${SECRET}`,
      url: `https://example.test/?p=${encodeURIComponent(SECRET)}`,
      [SECRET]: [SECRET],
    });

    const waiting = await onlyWaiting(store);
    expect(waiting).toMatchObject({ questions: [{ key: "sure" }], input: { user: "ada" } });
    expect(JSON.stringify(waiting)).not.toMatch(/correct|horse|battery/);
  });

  it("no input, where a secret was given before that its process does not know", async () => {
    const store = memoryStore();
    const { server } = await loggedIn(store, { password: SECRET });
    const { run = "" } = (await onlyWaiting(store)) ?? {};
    await server.close();
    const other = await serve(store);
    await other.server.inbox.answer(run, "sure", { action: "accept", value: true });

    // It is asked for its secret again.
    const again = await other.server.inbox.wait(run);
    expect(again).toMatchObject({ questions: [{ key: "password" }] });
    expect(JSON.stringify(again)).not.toContain(SECRET);
  });

  it("the same over HTTP", async () => {
    const { url } = await listening({ tools: [remove], keys, store: memoryStore() });
    await new StatelessClient(overStatelessHttp(url)).call("delete_customer", { id: 42 });

    const response = await fetch(`${url}/inbox`);
    expect(await response.json()).toMatchObject({
      runs: [{ title: "Delete a customer", description: expect.any(String), input: { id: 42 } }],
    });
  });
});

describe.each(Object.entries(transports))("over %s, on a session", (_, set) => {
  it("the inbox tells of a call what its tool is, and its input", async () => {
    const store = memoryStore();
    const { connect } = await set({ tools: [remove], keys, store });
    const client = await connect();
    await client.initialize("2025-11-25", ELICITATION);
    client.begin("tools/call", { name: "delete_customer", arguments: { id: 42 } });
    await client.receive();

    expect(await onlyWaiting(store)).toMatchObject({ title: "Delete a customer", input: { id: 42 } });
  });
});
