import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolRequestSchema,
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
  PingRequestSchema,
  UrlElicitationRequiredError,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import {
  ask,
  emit,
  roots,
  sample,
  tool,
  UrlRequired,
  type Body,
  type Duration,
  type Effect,
  type Tool,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { verifies } from "../../../test/requirements.ts";
import { mountTools, type MountOptions, type SdkServer } from "../src/sdk/index.ts";
import { acceptValue, leaveOpen } from "../../../test/clients/answers.ts";
import { connectInMemory } from "../../../test/clients/connect.ts";
import { allCapabilities } from "../../../test/clients/sdk-client.ts";
import { greet } from "./wire/tools.ts";

const info = { name: "host", version: "1.0.0" };
const choices = { s: "Single", d: "Double" };

const hosts: readonly (readonly [string, () => SdkServer])[] = [
  ["an McpServer", () => new McpServer(info)],
  // oxlint-disable-next-line typescript/no-deprecated -- people have servers of this kind, and we mount on them
  ["a Server", () => new Server(info)],
];

/** A tool called `it`, which does this. */
function doing(run: () => Body<unknown>): Tool<never> {
  return tool({ name: "it", description: "Does it", run });
}

/** A tool called `it`, which asks this and returns what it was answered. */
function asking(question: Effect): Tool<never> {
  return doing(async function* () {
    const answer: unknown = yield question;
    return { answer };
  });
}

const accepted = (content: ElicitResult["content"]): ElicitResult => ({
  action: "accept",
  ...(content && { content }),
});

describe.each(hosts)("a Photon tool on %s", (_, create) => {
  function serving(one: Tool<never>, options: MountOptions = {}): SdkServer {
    const server = create();
    mountTools(server, [one], options);
    return server;
  }

  it.each<readonly [string, Effect, ElicitResult, unknown]>([
    ["a text", ask.text("Name?"), accepted({ value: "Ada" }), "Ada"],
    ["a number", ask.number("Nights?"), accepted({ value: 3 }), 3],
    ["stars", ask.rating("How good?"), accepted({ value: 4 }), 4],
    ["a yes", ask.confirm("Sure?"), accepted({ value: true }), true],
    ["a yes, and takes a decline for a no", ask.confirm("Sure?"), { action: "decline" }, false],
    ["a choice", ask.select("Room?", choices), accepted({ value: "d" }), "d"],
    ["several choices", ask.multiselect("Rooms?", choices), accepted({ value: ["s", "d"] }), ["s", "d"]],
    ["a date", ask.date("When?"), accepted({ value: "2026-02-01" }), "2026-02-01"],
    [
      "a form",
      ask.form("Who?", { name: ask.text("Name?"), age: ask.number("Age?") }),
      accepted({ name: "Ada", age: 36 }),
      { name: "Ada", age: 36 },
    ],
    [
      "two things in one round, one after the other",
      ask.all({ a: ask.text("A?"), b: ask.text("B?") }),
      accepted({ value: "x" }),
      { a: "x", b: "x" },
    ],
    ["an outcome", ask.outcome(ask.text("Name?")), { action: "cancel" }, { action: "cancel" }],
  ])(verifies("C10", "asks for %s"), async (_what, question, reply, answer) => {
    const client = await connectInMemory(serving(asking(question)), { answer: () => reply });

    const { text } = await client.call("it");

    expect(JSON.parse(text)).toEqual({ answer });
  });

  it(verifies("C10", "sends somebody to a web address, and tells when it is done with"), async () => {
    const question = ask.url("Pay here", "https://pay.example.com");
    const client = await connectInMemory(serving(asking(question)), { answer: () => ({ action: "accept" }) });

    await client.call("it");

    const [asked] = client.questions;
    expect(asked).toMatchObject({ mode: "url", url: "https://pay.example.com" });
    const { elicitationId } = asked as { readonly elicitationId: string };
    expect(client.receivedOf("notifications/elicitation/complete")).toEqual([{ elicitationId }]);
  });

  it(verifies("C10", "asks the client's model, and for its folders"), async () => {
    const body = async function* (): Body<unknown> {
      const { content } = yield* sample("Say hello");
      return { content, roots: yield* roots() };
    };
    const client = await connectInMemory(serving(doing(body)));
    const content = { type: "text" as const, text: "Hello." };
    client.sdk.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      content,
      model: "parrot",
    }));
    const folders = [{ uri: "file:///home/ada", name: "home" }];
    client.sdk.setRequestHandler(ListRootsRequestSchema, () => ({ roots: folders }));

    const { text } = await client.call("it");

    expect(JSON.parse(text)).toEqual({ content, roots: folders });
  });

  it.each<readonly [string, Effect, ElicitResult, string]>([
    ["declined", ask.text("Name?"), { action: "decline" }, 'The person declined to answer "Name?"'],
    ["cancelled", ask.text("Name?"), { action: "cancel" }, 'The question "Name?" (ask-1) was cancelled.'],
    ["unfit", ask.number("Nights?", { max: 30 }), accepted({ value: 31 }), 'The answer to "Nights?"'],
    ["never to be asked in a form", ask.secret("Key?"), { action: "cancel" }, '"Key?"'],
  ])(
    verifies("C10", "says in an error result that a question was %s"),
    async (_what, question, reply, sentence) => {
      const client = await connectInMemory(serving(asking(question)), { answer: () => reply });

      const { text, isError } = await client.call("it");

      expect(isError).toBe(true);
      expect(text).toContain(sentence);
    },
  );

  it(verifies("C10", "asks again, with a hint, while there are retries"), async () => {
    const values = [31, 3];
    const question = ask.number("Nights?", { max: 30, retries: 1 });
    const client = await connectInMemory(serving(asking(question)), {
      answer: () => accepted({ value: values.shift() ?? 0 }),
    });

    const { text } = await client.call("it");

    expect(JSON.parse(text)).toEqual({ answer: 3 });
    expect(client.questions.map(({ message }) => message)).toEqual([
      "Nights?",
      "Nights? (The last answer must be at most 30.)",
    ]);
  });

  it(verifies("C10", "takes a question back that nobody answers in time"), async () => {
    const clock = testClock();
    const question = leaveOpen();
    const client = await connectInMemory(serving(asking(ask.text("Name?", { timeout: "90s" })), { clock }), {
      answer: question.answer,
    });

    const called = client.call("it");
    await question.asked;
    await clock.advance("90s");

    expect((await called).text).toContain('No answer to "Name?" (ask-1) arrived in time.');
    await question.cancelled;
  });

  it(verifies("C10", "shows signs of life while a person thinks"), async () => {
    const clock = testClock();
    const question = leaveOpen();
    const client = await connectInMemory(serving(asking(ask.text("Name?", { timeout: "40s" })), { clock }), {
      answer: question.answer,
    });

    const called = client.call("it", {}, { onprogress: () => {} });
    await question.asked;
    await clock.advance("41s");
    await called;

    expect(client.receivedOf("notifications/progress")).toHaveLength(2);
  });

  it(verifies("C10", "ends with its call: the question is taken back and the body closed"), async () => {
    const question = leaveOpen();
    const call = new AbortController();
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const body = async function* (): Body<void> {
      try {
        yield* ask.text("Name?");
      } finally {
        close();
      }
    };
    const client = await connectInMemory(serving(doing(body)), { answer: question.answer });

    const called = client.call("it", {}, { signal: call.signal });
    await question.asked;
    call.abort("changed my mind");

    await expect(called).rejects.toThrow("changed my mind");
    await Promise.all([closed, question.cancelled]);
  });

  it(verifies("C10", "ends when the client hangs up, and can be waited for"), async () => {
    const question = leaveOpen();
    let isClosed = false;
    const body = async function* (): Body<void> {
      try {
        yield* ask.text("Name?");
      } finally {
        await new Promise(setImmediate);
        isClosed = true;
      }
    };
    const server = create();
    const mounted = mountTools(server, [doing(body)]);
    const client = await connectInMemory(server, { answer: question.answer });

    const called = client.call("it").catch(String);
    await question.asked;
    expect(mounted.calls).toBe(1);
    await client.sdk.close();
    await mounted.ended();

    expect(await called).toContain("Connection closed");
    expect(isClosed).toBe(true);
    expect(mounted.calls).toBe(0);
  });

  it(verifies("C10", "takes no question back that was answered"), async () => {
    const client = await connectInMemory(serving(asking(ask.text("Name?"))), { answer: acceptValue("Ada") });

    await client.call("it");
    await client.sdk.ping();

    expect(client.receivedOf("notifications/cancelled")).toEqual([]);
  });

  it(verifies("C10", "says what it needed of a client that cannot be asked"), async () => {
    const client = await connectInMemory(serving(asking(ask.text("Name?"))), { capabilities: {} });

    const { text, isError } = await client.call("it");

    expect(isError).toBe(true);
    expect(text).toContain("the client shows no forms (elicitation)");
  });

  it(verifies("C10", "falls back where the author said so and the client cannot be asked"), async () => {
    const question = ask.text("Name?", { fallback: { unsupported: "nobody" } });
    const client = await connectInMemory(serving(asking(question)), { capabilities: {} });

    expect(JSON.parse((await client.call("it")).text)).toEqual({ answer: "nobody" });
  });

  it(verifies("C10", "knows the client, and what it can do"), async () => {
    const who = tool({
      name: "it",
      description: "Tells who is there",
      async *run(__, { client }) {
        return client;
      },
    });
    const client = await connectInMemory(serving(who), { capabilities: { elicitation: {} } });

    expect(JSON.parse((await client.call("it")).text)).toEqual({
      name: "client",
      version: "1.2.3",
      can: { form: true, url: false, sample: false, roots: false },
    });
  });

  it(verifies("C10", "demands a step outside of the conversation by the error there is for it"), async () => {
    const body = async function* (): Body<unknown> {
      throw new UrlRequired([{ message: "Sign in", url: "https://id.example.com" }]);
    };
    const client = await connectInMemory(serving(doing(body)));

    const error: unknown = await client.call("it").catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(UrlElicitationRequiredError);
    expect(error).toMatchObject({ elicitations: [{ message: "Sign in", url: "https://id.example.com" }] });
  });

  it(verifies("C10", "shows its progress, ever more, before its result"), async () => {
    const body = async function* (): Body<unknown> {
      yield emit.status("Looking");
      yield emit.progress(0.5, "Half");
      yield emit.progress(0.5);
      yield emit.status("Nearly");
      return "Done.";
    };
    const client = await connectInMemory(serving(doing(body)));
    const seen: (string | undefined)[] = [];

    const { text } = await client.call("it", {}, { onprogress: ({ message }) => seen.push(message) });

    expect(text).toBe("Done.");
    expect(seen).toEqual(["Looking", "Half", undefined, "Nearly"]);
    const figures = client.receivedOf("notifications/progress").map((params) => Number(params?.["progress"]));
    expect(figures).toEqual([...new Set(figures)].toSorted((a, b) => a - b));
  });

  it(verifies("C10", "shows no progress to a client that wants none"), async () => {
    const body = async function* (): Body<void> {
      yield emit.status("Looking");
    };
    const client = await connectInMemory(serving(doing(body)));

    await client.call("it");

    expect(client.receivedOf("notifications/progress")).toEqual([]);
  });

  it(
    verifies("C10", "remembers that a client answers no pings, for as long as that client is there"),
    async () => {
      const clock = testClock();
      const body = async function* (): Body<void> {
        yield emit.status("Looking");
      };
      const server = serving(doing(body), { clock });
      const silent = await connectInMemory(server);
      silent.sdk.setRequestHandler(PingRequestSchema, () => new Promise(() => {}));
      const callSilent = async (calls: number, patience: Duration): Promise<void> => {
        const called = silent.call("it", {}, { onprogress: () => {} });
        await expect.poll(() => silent.receivedOf("notifications/progress")).toHaveLength(calls);
        await clock.advance(patience);
        await called;
      };

      await callSilent(1, "1s");
      await callSilent(2, "10ms");
      expect(silent.receivedOf("ping")).toHaveLength(1);
      await silent.sdk.close();
      const next = await connectInMemory(server);
      await next.call("it", {}, { onprogress: () => {} });

      expect(next.receivedOf("ping")).toHaveLength(1);
    },
  );

  it(verifies("C10", "logs what the client's level lets through"), async () => {
    const body = async function* (): Body<void> {
      yield emit.log("debug", "fine");
      yield emit.log("warning", { disk: "full" });
    };
    const client = await connectInMemory(serving(doing(body)));

    await client.call("it");
    await client.sdk.setLoggingLevel("debug");
    await client.call("it");

    expect(client.receivedOf("notifications/message")).toEqual([
      { level: "warning", logger: "it", data: { disk: "full" } },
      { level: "debug", logger: "it", data: "fine" },
      { level: "warning", logger: "it", data: { disk: "full" } },
    ]);
  });

  it(verifies("C10", "is listed with its schemas, and held to them"), async () => {
    const double = tool({
      name: "double",
      title: "Double",
      description: "Doubles",
      input: z.object({ n: z.number() }),
      output: z.object({ twice: z.number() }),
      annotations: { readOnlyHint: true },
      async *run({ n }) {
        return { twice: 2 * n };
      },
    });
    const client = await connectInMemory(serving(double));

    const { tools } = await client.sdk.listTools();
    expect(tools).toMatchObject([
      {
        name: "double",
        title: "Double",
        description: "Doubles",
        inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        outputSchema: { type: "object", properties: { twice: { type: "number" } } },
        annotations: { readOnlyHint: true },
      },
    ]);
    expect(await client.call("double", { n: 2 })).toMatchObject({ structured: { twice: 4 } });
    const refused = await client.call("double", { n: "two" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("n ");
  });

  it(verifies("C10", "is refused one call more than the limit allows, and the others go on"), async () => {
    const question = leaveOpen();
    const client = await connectInMemory(
      serving(asking(ask.text("Name?")), { limits: { runsPerSession: 1 } }),
      { answer: question.answer },
    );
    const call = new AbortController();

    const first = client.call("it", {}, { signal: call.signal });
    await question.asked;

    await expect(client.call("it")).rejects.toThrow("has reached its limit of calls under way (1)");
    call.abort("enough");
    await expect(first).rejects.toThrow("enough");
  });

  it(verifies("C10", "is refused one question more than the limit allows"), async () => {
    const question = leaveOpen();
    const client = await connectInMemory(
      serving(asking(ask.text("Name?")), { limits: { asksPerSession: 1 } }),
      { answer: question.answer },
    );
    const call = new AbortController();

    const first = client.call("it", {}, { signal: call.signal });
    await question.asked;

    await expect(client.call("it")).rejects.toThrow("has reached its limit of open questions (1)");
    call.abort("enough");
    await expect(first).rejects.toThrow("enough");
  });

  it(verifies("C10", "may ask while another waits for a ping, which is no question"), async () => {
    const busy = doing(async function* () {
      yield emit.status("Looking");
    });
    const server = create();
    mountTools(server, [busy, greet], { limits: { asksPerSession: 1 }, clock: testClock() });
    const client = await connectInMemory(server, { answer: acceptValue("Ada") });
    client.sdk.setRequestHandler(PingRequestSchema, () => new Promise(() => {}));
    const call = new AbortController();

    const first = client.call("it", {}, { signal: call.signal, onprogress: () => {} });
    await expect.poll(() => client.receivedOf("ping")).toHaveLength(1);

    expect((await client.call("greet")).text).toBe("Hello, Ada");
    call.abort("enough");
    await expect(first).rejects.toThrow("enough");
  });

  it(verifies("C10", "is told apart from a tool that nobody has"), async () => {
    const client = await connectInMemory(serving(doing(async function* () {})));

    const failed: unknown = await client.call("that").catch(String);

    expect(JSON.stringify(failed)).toContain("that");
  });

  it("answers ten calls at once, each with its own answers, in any order", async () => {
    const waiting: (() => void)[] = [];
    const body = async function* (): Body<unknown> {
      return yield* ask.text("Name?");
    };
    const client = await connectInMemory(serving(doing(body)), {
      answer: () =>
        new Promise((resolve) => {
          const value = String(waiting.length);
          waiting.push(() => resolve(accepted({ value })));
          if (waiting.length === 10) for (const answer of waiting.toReversed()) answer();
        }),
    });

    const results = await Promise.all(Array.from({ length: 10 }, () => client.call("it")));

    expect(results.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, (__, index) => String(index)));
  });
});

describe("tools of both kinds", () => {
  const photon = tool({
    name: "photon",
    description: "Ours",
    async *run() {
      return "ours";
    },
  });
  const own = (): { content: { type: "text"; text: string }[] } => ({
    content: [{ type: "text", text: "theirs" }],
  });

  it.each([
    ["before", true],
    ["after", false],
  ])(
    verifies("C10", "stand in one list of an McpServer that registers its own %s ours are mounted"),
    async (__, isBefore) => {
      const server = new McpServer(info);
      if (isBefore) server.registerTool("own", {}, own);
      mountTools(server, [photon]);
      if (!isBefore) server.registerTool("own", {}, own);
      const client = await connectInMemory(server);

      const { tools } = await client.sdk.listTools();

      expect(tools.map(({ name }) => name).toSorted()).toEqual(["own", "photon"]);
      expect((await client.call("own")).text).toBe("theirs");
      expect((await client.call("photon")).text).toBe("ours");
    },
  );

  it("are not found by an McpServer in a result, and by a Server in an error", async () => {
    const high = new McpServer(info);
    mountTools(high, [photon]);
    // oxlint-disable-next-line typescript/no-deprecated -- people have servers of this kind, and we mount on them
    const low = new Server(info);
    mountTools(low, [photon]);

    expect(await (await connectInMemory(high)).call("nobody")).toMatchObject({ isError: true });
    await expect((await connectInMemory(low)).call("nobody")).rejects.toMatchObject({ code: -32602 });
  });

  it(verifies("C10", "stand in one list of a Server, ours on its first page"), async () => {
    // oxlint-disable-next-line typescript/no-deprecated -- people have servers of this kind, and we mount on them
    const server = new Server(info, { capabilities: { tools: {} } });
    const inputSchema = { type: "object" as const };
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
      params?.cursor === undefined
        ? { tools: [{ name: "own", inputSchema }], nextCursor: "more" }
        : { tools: [{ name: "last", inputSchema }] },
    );
    server.setRequestHandler(CallToolRequestSchema, own);
    mountTools(server, [photon]);
    const client = await connectInMemory(server);

    const first = await client.sdk.listTools();
    const second = await client.sdk.listTools({ cursor: first.nextCursor });

    expect(first.tools.map(({ name }) => name)).toEqual(["own", "photon"]);
    expect(second.tools.map(({ name }) => name)).toEqual(["last"]);
    expect((await client.call("own")).text).toBe("theirs");
    expect((await client.call("photon")).text).toBe("ours");
  });

  it(verifies("C10", "may be mounted in several turns"), async () => {
    const server = new McpServer(info);
    mountTools(server, [photon]);
    mountTools(server, [asking(ask.text("Name?"))]);
    const client = await connectInMemory(server, { answer: acceptValue("Ada") });

    expect((await client.sdk.listTools()).tools.map(({ name }) => name).toSorted()).toEqual(["it", "photon"]);
    expect((await client.call("photon")).text).toBe("ours");
    expect(JSON.parse((await client.call("it")).text)).toEqual({ answer: "Ada" });
  });

  it(verifies("C10", "of one name are refused by an McpServer, whichever comes first"), () => {
    const theirsFirst = new McpServer(info);
    theirsFirst.registerTool("photon", {}, own);
    const oursFirst = new McpServer(info);
    mountTools(oursFirst, [photon]);

    expect(() => mountTools(theirsFirst, [photon])).toThrow("photon is already registered");
    expect(() => oursFirst.registerTool("photon", {}, own)).toThrow("photon is already registered");
  });

  it(verifies("C10", "leave the levels of the server's own logs alone"), async () => {
    const server = new McpServer(info, { capabilities: { logging: {} } });
    mountTools(server, [photon]);
    const client = await connectInMemory(server);
    const logs: unknown[] = [];
    client.sdk.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      logs.push(params.data);
    });

    await client.sdk.setLoggingLevel("error");
    await server.sendLoggingMessage({ level: "info", data: "small" });
    await server.sendLoggingMessage({ level: "error", data: "big" });
    await client.sdk.ping();

    expect(logs).toEqual(["big"]);
  });

  it("leave an McpServer as it was where there are none of ours", async () => {
    const server = new McpServer(info);
    mountTools(server, []);
    server.registerTool("own", {}, own);

    expect((await (await connectInMemory(server, { capabilities: allCapabilities })).call("own")).text).toBe(
      "theirs",
    );
  });

  it("are refused on what is no server of the SDK", () => {
    const stranger = { registerCapabilities() {} } as unknown as SdkServer;

    expect(() => mountTools(stranger, [photon])).toThrow(
      "This is not a server of @modelcontextprotocol/sdk 1.x",
    );
  });
});
