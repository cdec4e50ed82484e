/** Calls that were handed over, and those that were not: neither is taken for the other (rows B4, B6, E4). */
import { ask, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { verifies } from "../../../../test/requirements.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { watchLooks } from "../durable/watch-looks.ts";
import { onlyRun } from "../durable/waiting.ts";
import { answerPage } from "../secrets/person.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import type { Message } from "../../../../test/clients/messages.ts";
import { StatelessClient, textOf } from "../../../../test/clients/raw-client.ts";
import { movable } from "../wire/movable-clock.ts";
import { alone, linkIn, onSession, runIn, type Said } from "./model.ts";
import { keys, mixed } from "./processes.ts";

const HOUR = 3_600_000;

describe("what a client of 2026-07-28 is asked itself", () => {
  it.each([
    ["a yes or no", false],
    ["a dangerous one", true],
  ])(
    verifies("B6", "is neither answered nor ended by a model that names its run: %s"),
    async (_, dangerous) => {
      const send = tool({
        name: "send",
        durable: true,
        async *run() {
          return (yield* ask.confirm("Send?", { id: "sure", dangerous })) ? "sent" : "kept";
        },
      });
      const store = memoryStore();
      const { url, server } = await listening({ keys, store, tools: [send], whenUnsupported: "relay" });
      const client = new StatelessClient(overStatelessHttp(url));
      const asked = await client.call("send");
      const run = await onlyRun(server.inbox);
      const model = await alone(url);

      for (const length of [1, 2, 3]) {
        const named = { run: `${run}.${length}` };
        expect((await model.call("photon_continue", named)).text).toContain("No call waits");
        expect((await model.call("photon_answer", { ...named, answer: true })).text).toContain(
          "No call waits",
        );
      }

      expect(textOf((await client.accept(asked, { sure: true })).answer)).toBe("sent");
    },
  );
});

describe("a call that was handed over", () => {
  it("is none of its session's any more: another goes on with it, after that was ended", async () => {
    const { url, server } = await listening({
      keys,
      store: memoryStore(),
      tools: [mixed],
      whenUnsupported: "page",
      report() {},
    });
    const first = await person(url);
    const calling = first.client.callTool({ name: "mixed" });
    (await first.shown())({ action: "accept", content: { value: "Ada" } });
    const handed = toldIn(await calling);
    await answerPage(linkIn(handed), "correct horse");
    await first.transport.terminateSession();

    const second = await person(url);
    const going = second.client.callTool({ name: "photon_continue", arguments: { run: runIn(handed) } });
    const answer = await second.shown();

    expect((await server.inbox.list()).runs).toMatchObject([{ questions: [{ message: "Sure?" }] }]);
    answer({ action: "accept", content: { value: true } });
    expect(toldIn(await going).text).toBe("Ada 13 true");
  });

  it.each(Object.entries({ "2025-11-25": onSession, "2026-07-28": alone }))(
    "of %s has the secret that was given on its page in time, however late its model comes",
    async (_, arrive) => {
      const clock = movable();
      const { store, look } = watchLooks(memoryStore(clock));
      const { url } = await listening({
        keys,
        store,
        clock,
        lease: "20ms",
        tools: [login("1h")],
        whenUnsupported: "page",
      });
      const model = await arrive(url);
      const asked = await model.call("login");
      await answerPage(linkIn(asked), "correct horse");

      clock.ahead = HOUR + 1000;
      await look();

      expect((await model.call("photon_continue", { run: runIn(asked) })).text).toContain("Name?");
    },
  );

  describe("whose secret is gone with its process", () => {
    it("asks for it again, and goes on once it is given", async () => {
      const { model, run } = await forgotten();
      const again = await model.call("photon_continue", { run });
      await answerPage(linkIn(again), "battery staple");

      expect((await model.call("photon_continue", { run: runIn(again) })).text).toBe("Ada 14");
    });

    it("writes down no reply to it but itself: there is no place for one in its log", async () => {
      const { id, inbox, store, look, clock, model, run } = await forgotten();
      const { length } = await store.read(id);

      await expect(inbox.answer(id, "pw", { action: "decline" })).rejects.toThrow("it was given before");
      clock.ahead = HOUR + 1000;
      await look();

      expect(await store.read(id)).toHaveLength(length);
      expect((await model.call("photon_continue", { run })).text).toContain("in time");
    });
  });
});

/** A call that was handed over, has been given a secret and a name, and goes on where nobody knows the secret. */
async function forgotten() {
  const clock = movable();
  const { store, look } = watchLooks(memoryStore(clock));
  const whenUnsupported = "page";
  const options = { keys, store, clock, lease: "20ms", tools: [login("1h")], whenUnsupported } as const;
  const first = await listening(options);
  const there = await alone(first.url);
  const asked = await there.call("login");
  await answerPage(linkIn(asked), "correct horse");
  const run = runIn(await there.call("photon_continue", { run: runIn(asked) }));
  await first.server.close();
  const { server, url } = await listening(options);
  const { inbox } = server;
  const id = run.split(".")[0] ?? "";
  await inbox.answer(id, "name", { action: "accept", value: "Ada" });
  expect(await inbox.wait(id)).toMatchObject({ questions: [{ key: "pw" }] });
  return { id, run, inbox, store, look, clock, model: await alone(url) };
}

const login = (timeout: "1h") =>
  tool({
    name: "login",
    durable: true,
    async *run() {
      const secret = yield* ask.secret("Password?", { id: "pw", timeout });
      const name = yield* ask.text("Name?", { id: "name" });
      return `${name} ${secret.reveal().length}`;
    },
  });

/** A client of the SDK, and what it shows. */
async function person(url: string): Promise<{
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly shown: () => Promise<(said: ElicitResult) => void>;
}> {
  const client = new Client({ name: "person", version: "1" }, { capabilities: { elicitation: {} } });
  const open: ((said: ElicitResult) => void)[] = [];
  client.setRequestHandler(
    ElicitRequestSchema,
    () =>
      new Promise((answer) => {
        open.push(answer);
      }),
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    transport,
    async shown() {
      await expect.poll(() => open.length).toBe(1);
      return open.pop() ?? (() => {});
    },
  };
}

function toldIn(result: unknown): Said {
  // What the SDK gives back of a tool that answers in words.
  const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean };
  return { text: content.map(({ text }) => text).join("\n"), isError, wire: result as Message };
}
