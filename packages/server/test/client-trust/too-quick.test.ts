/** A decline or cancel that a client sends sooner than a person can read the question. */
import { randomBytes } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { ask, prompt, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { memoryStore, openInbox, type ServerOptions } from "../../src/index.ts";
import { linkIn, runIn, saidIn, type Said } from "../handover/model.ts";
import { answerPage } from "../secrets/person.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { StatelessClient, callOf, questionsIn } from "../../../../test/clients/raw-client.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { greet } from "../wire/tools.ts";
import { stillClock, type StillClock } from "./still-clock.ts";

/** The shortest time in which a person can read a question, in milliseconds, where the server says nothing else. */
const READING = 300;
const yes = { action: "accept", content: { value: "Ada" } };
const quickly = { decline: { action: "decline" }, cancel: { action: "cancel" } };

interface TestServer {
  /** Calls a tool; the client replies this to its first question after so many milliseconds. Resolves when it has. */
  readonly begin: (name: string, reply: Fields, after?: number) => Promise<{ readonly ended: Promise<Said> }>;
  /** Calls a tool that asks nothing of the client. */
  readonly goOn: (name: string, input: Fields) => Promise<Said>;
}

type StartServer = (options: ServerOptions, clock?: StillClock) => Promise<TestServer & Calling>;

interface Calling {
  /** The same, until the call has ended. */
  readonly call: (...given: Parameters<TestServer["begin"]>) => Promise<Said>;
}

const withCall = (stage: TestServer): TestServer & Calling => ({
  ...stage,
  call: async (...given) => (await stage.begin(...given)).ended,
});

const onSession: StartServer = async (options, clock = stillClock()) => {
  const { url } = await listening({ clock, report() {}, ...options });
  const client = await overWebSocket(url);
  await client.initialize();
  return withCall({
    goOn: async (name, input) => saidIn(await client.callTool(name, input)),
    async begin(name, reply, after = 3) {
      const id = client.begin("tools/call", callOf(name));
      const question = await client.receive();
      clock.leap(after);
      await client.reply(question, reply);
      // The server answers this after it has read the reply.
      await client.request("ping");
      return { ended: client.answerTo(id).then(saidIn) };
    },
  });
};

const alone: StartServer = async (options, clock = stillClock()) => {
  const { url } = await listening({ clock, report() {}, ...options });
  const client = new StatelessClient(overStatelessHttp(url));
  return withCall({
    goOn: async (name, input) => saidIn((await client.call(name, input)).answer),
    async begin(name, reply, after = 3) {
      const asked = await client.call(name);
      const [key = ""] = Object.keys(questionsIn(asked));
      clock.leap(after);
      return { ended: client.retry(asked, { [key]: reply }).then(({ answer }) => saidIn(answer)) };
    },
  });
};

const both = tool({
  name: "both",
  async *run() {
    const { one, two } = yield* ask.all({ one: ask.text("One?"), two: ask.text("Two?") });
    return `${one} ${two}`;
  },
});
const launch = tool({
  name: "launch",
  async *run() {
    return (yield* ask.confirm("Launch?")) ? "launched" : "kept";
  },
});
const optional = tool({
  name: "optional",
  async *run() {
    return yield* ask.text("Name?", { fallback: { unsupported: "nobody", decline: "declined" } });
  },
});
const durable = tool({
  name: "durable",
  durable: true,
  async *run() {
    return `Hello, ${yield* ask.text("Name?", { id: "name" })}`;
  },
});

/** Servers that can open no page for a caller without a name. */
const withoutPages: { readonly [why: string]: ServerOptions } = {
  "nothing tells whose page it is": { publicUrl: "https://photon.example.com" },
  "the limit is none": { limits: { pages: 0 } },
  "the limit for each principal is none": { limits: { pagesPerPrincipal: 0 } },
};

describe.each<[string, StartServer]>([
  ["2025-11-25", onSession],
  ["2026-07-28", alone],
])("a reply of a client of %s that comes sooner than a person can read", (_, set) => {
  it.each(Object.entries(quickly))(
    verifies(["B4", "B10"], "does not count where there are pages: the same call gives a link (%s)"),
    async (__, reply) => {
      const { call, goOn } = await set({ tools: [greet], whenUnsupported: "page" });

      const handed = await call("greet", reply);
      await answerPage(linkIn(handed), "Ada");

      expect((await goOn("photon_continue", { run: runIn(handed) })).text).toBe("Hello, Ada");
    },
  );

  it.each(Object.entries(quickly))(
    verifies(["B4", "B10"], "does not count where a model relays: the same call asks it to (%s)"),
    async (__, reply) => {
      const { call, goOn } = await set({ tools: [greet], whenUnsupported: "relay" });

      const handed = await call("greet", reply);

      expect((await goOn("photon_answer", { run: runIn(handed), answer: "Ada" })).text).toBe("Hello, Ada");
    },
  );

  it(verifies("B1", "is never a yes: a confirm is asked on a page, too"), async () => {
    const { call } = await set({ tools: [launch], whenUnsupported: "page" });

    expect(linkIn(await call("launch", { action: "cancel" }))).toContain("/ask/");
  });

  it(verifies("B1", "counts where it is an accept"), async () => {
    const { call } = await set({ tools: [greet], whenUnsupported: "page" });

    expect((await call("greet", yes, 0)).text).toBe("Hello, Ada");
  });

  it("counts where the time is over in which nobody can read it", async () => {
    const { call } = await set({ tools: [greet], whenUnsupported: "page" });

    const { text } = await call("greet", quickly.decline, READING);

    expect(text).toContain("declined");
    expect(text).not.toContain("/ask/");
    expect(text).not.toContain(" ms");
  });

  it("counts where the question has no other way", async () => {
    const { call } = await set({ tools: [optional], whenUnsupported: "page" });

    expect((await call("optional", quickly.decline)).text).toBe("declined");
  });

  it("counts where the server says so", async () => {
    const { call } = await set({ tools: [greet], whenUnsupported: "page", minReadingTime: "none" });

    const { text } = await call("greet", quickly.decline);

    expect(text).toContain("declined");
    expect(text).not.toContain("/ask/");
  });

  it("is what the server says it is", async () => {
    const { call } = await set({ tools: [greet], whenUnsupported: "page", minReadingTime: "2s" });

    expect(linkIn(await call("greet", quickly.decline, 1999))).toContain("/ask/");
  });

  it.each(Object.entries(quickly))(
    verifies("B10", "stays what it was where there is no other way, and says how quickly it came (%s)"),
    async (action, reply) => {
      const { call } = await set({ tools: [greet] });

      const { text, isError } = await call("greet", reply, 3);

      expect(isError).toBe(true);
      expect(text).toContain(action);
      expect(text).toContain("3 ms");
      expect(text).toContain('"raw 1"');
    },
  );

  it.each(Object.entries(withoutPages))(
    verifies("B10", "stays what it was where pages are wanted and there can be none: %s"),
    async (__, options) => {
      const { call } = await set({ tools: [greet], whenUnsupported: "page", ...options });

      const { text } = await call("greet", quickly.decline, 3);

      expect(text).toContain("declined");
      expect(text).toContain("3 ms");
    },
  );

  it.each(Object.entries(withoutPages))(
    verifies(["E4", "B10"], "does not count for a durable run that can have no page: %s"),
    async (__, options) => {
      const clock = stillClock();
      const store = memoryStore(clock);
      const keys = [randomBytes(32).toString("base64")];
      const { begin } = await set(
        { tools: [durable], store, keys, whenUnsupported: "page", ...options },
        clock,
      );
      const inbox = openInbox({ store, keys, clock });
      const { ended } = await begin("durable", quickly.decline);
      await expect.poll(async () => (await inbox.list()).runs.length).toBe(1);
      const [waiting] = (await inbox.list()).runs;

      await inbox.answer(waiting?.run ?? "", "name", { action: "accept", value: "Ada" });

      expect((await ended).text).toBe("Hello, Ada");
    },
  );

  it("is a no to a yes-or-no question where there is no other way", async () => {
    const { call } = await set({ tools: [launch] });

    expect((await call("launch", quickly.decline)).text).toBe("kept");
  });

  it(
    verifies(["E4", "B10"], "does not count for a durable run: its question waits in the inbox"),
    async () => {
      const clock = stillClock();
      const store = memoryStore(clock);
      const keys = [randomBytes(32).toString("base64")];
      const { begin } = await set({ tools: [durable], store, keys }, clock);
      const inbox = openInbox({ store, keys, clock });
      const { ended } = await begin("durable", quickly.cancel);
      await expect.poll(async () => (await inbox.list()).runs.length).toBe(1);
      const [waiting] = (await inbox.list()).runs;

      await inbox.answer(waiting?.run ?? "", "name", { action: "accept", value: "Ada" });

      expect((await ended).text).toBe("Hello, Ada");
    },
  );
});

describe("in 2026-07-28", () => {
  it("replies of a round count one by one: an accept beside a quick decline is kept", async () => {
    const clock = stillClock();
    const { url } = await listening({ tools: [both], clock, whenUnsupported: "page", report() {} });
    const client = new StatelessClient(overStatelessHttp(url));
    const asked = await client.call("both");

    const handed = saidIn((await client.retry(asked, { one: yes, two: quickly.decline })).answer);
    await answerPage(linkIn(handed), "Lovelace");
    const done = saidIn((await client.call("photon_continue", { run: runIn(handed) })).answer);

    expect(done.text).toBe("Ada Lovelace");
  });

  it("replies stay what they were where there are fewer pages left than questions", async () => {
    const clock = stillClock();
    const limits = { pages: 1 };
    const { url } = await listening({ tools: [both], clock, whenUnsupported: "page", limits, report() {} });
    const client = new StatelessClient(overStatelessHttp(url));
    const asked = await client.call("both");

    const retried = await client.retry(asked, { one: quickly.decline, two: quickly.decline });

    expect(saidIn(retried.answer).text).toContain("declined");
    expect(saidIn(retried.answer).text).toContain("0 ms");
  });

  it("a client that waits for the inbox in vain is asked again, and can still answer", async () => {
    const clock = countingClock();
    const keys = [randomBytes(32).toString("base64")];
    const { url } = await listening({ tools: [durable], store: memoryStore(), keys, clock, report() {} });
    const client = new StatelessClient(overStatelessHttp(url));
    const asked = await client.call("durable");

    const retried = client.retry(asked, { name: quickly.decline });
    await expect.poll(() => clock.runningFor(45_000)).toBe(1);
    clock.leap(45_000);
    const again = await retried;

    expect(Object.keys(questionsIn(again))).toEqual(["name"]);
    expect(saidIn((await client.accept(again, { name: "Ada" })).answer).text).toBe("Hello, Ada");
  });

  it("a client that goes while it waits for the inbox leaves the question there, and can come back", async () => {
    const clock = countingClock();
    const keys = [randomBytes(32).toString("base64")];
    const { url } = await listening({ tools: [durable], store: memoryStore(), keys, clock, report() {} });
    const client = new StatelessClient(overStatelessHttp(url));
    const asked = await client.call("durable");
    const leaving = client.beginRetry(asked, { name: quickly.decline });
    await expect.poll(() => clock.runningFor(45_000)).toBe(1);

    await leaving.leave();
    await expect.poll(() => clock.runningFor(45_000)).toBe(0);

    expect(saidIn((await client.accept(asked, { name: "Ada" })).answer).text).toBe("Hello, Ada");
  });
});

it("the error of a prompt says how quickly the reply came", async () => {
  const clock = stillClock();
  const letter = prompt({
    name: "letter",
    async *run() {
      return yield* ask.text("About what?");
    },
  });
  const { url } = await listening({ prompts: [letter], clock });
  const client = await overWebSocket(url);
  await client.initialize();
  const id = client.begin("prompts/get", { name: "letter" });
  const question = await client.receive();
  clock.leap(3);

  await client.reply(question, quickly.decline);

  expect((await client.answerTo(id)).error?.message).toContain("3 ms");
});

it(
  verifies(["B4", "B10"], "a client of the SDK that declines for nobody gets the link in the same call"),
  async () => {
    const { url } = await listening({ tools: [greet], whenUnsupported: "page", report() {} });
    const client = new Client({ name: "headless", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "cancel" }));
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    onTestFinished(() => client.close());

    const result = await client.callTool({ name: "greet", arguments: {} });

    expect(JSON.stringify(result)).toContain("/ask/");
  },
);
