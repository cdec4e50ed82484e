/** Clients that declare elicitation, and refuse it, or reply what is no answer. */
import { randomBytes } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ask, InvalidReply, roots, sample, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { memoryStore, openInbox, type ServerOptions } from "../src/index.ts";
import { linkIn, runIn, saidIn, type Said } from "./handover/model.ts";
import { answerPage } from "./secrets/person.ts";
import { login } from "./secrets/tools.ts";
import { listening, transports } from "./wire/servers.ts";
import { overWebSocket } from "../../../test/clients/carriers.ts";
import { type Fields, type Message, isResponseTo, hasMethod } from "../../../test/clients/messages.ts";
import { type RawClient, callOf } from "../../../test/clients/raw-client.ts";
import { greet } from "./wire/tools.ts";

const NOT_FOUND = { code: -32601, message: "Method not found" };
const UNFIT = { code: -32602, message: "Invalid params" };

const optional = tool({
  name: "optional",
  async *run() {
    return `Hello, ${yield* ask.text("Name?", { fallback: { unsupported: "nobody" } })}`;
  },
});
const twice = tool({
  name: "twice",
  async *run() {
    const fallback = { unsupported: "–" };
    return `${yield* ask.text("One?", { fallback })} ${yield* ask.text("Two?", { fallback })}`;
  },
});
const think = tool({
  name: "think",
  async *run() {
    const { action } = yield* ask.outcome(ask.text("Name?"));
    const thought = yield* ask.outcome(sample("Think."));
    return `${action} ${thought.action}`;
  },
});
const durable = tool({
  name: "durable",
  durable: true,
  async *run() {
    return `Hello, ${yield* ask.text("Name?", { id: "name" })}`;
  },
});

async function serve(options: ServerOptions): Promise<{
  readonly url: string;
  readonly client: RawClient;
  readonly connect: () => Promise<RawClient>;
}> {
  const { url } = await listening({ report() {}, ...options });
  const connect = async (): Promise<RawClient> => {
    const client = await overWebSocket(url);
    await client.initialize();
    return client;
  };
  return { url, connect, client: await connect() };
}

/** Calls a tool; the client answers its first question like this. */
async function callAnd(
  client: RawClient,
  name: string,
  answer: { readonly error: Fields } | { readonly result: unknown },
  method?: string,
): Promise<Said> {
  const id = client.begin("tools/call", callOf(name));
  const question = await client.receive(method);
  await client.send({ jsonrpc: "2.0", id: question.id, ...answer });
  return saidIn(await client.answerTo(id));
}

describe("a client that declares elicitation and does not know the method", () => {
  it(verifies("B4", "gets the link of a page in the same call"), async () => {
    const { client } = await serve({ tools: [greet], whenUnsupported: "page" });

    const handed = await callAnd(client, "greet", { error: NOT_FOUND });
    await answerPage(linkIn(handed), "Ada");
    const done = saidIn(await client.callTool("photon_continue", { run: runIn(handed) }));

    expect(done.text).toBe("Hello, Ada");
  });

  it("is told why there can be no page, and what the client said", async () => {
    const publicUrl = "https://photon.example.com";
    const { client } = await serve({ tools: [greet], whenUnsupported: "page", publicUrl });

    const { text } = await callAnd(client, "greet", { error: NOT_FOUND });

    expect(text).toContain(
      "cannot be asked here: a page at https://photon.example.com can be opened by anyone",
    );
    expect(text).toContain("Method not found");
  });

  it(verifies("B4", "has its model asked in the same call, where models relay"), async () => {
    const { client } = await serve({ tools: [greet], whenUnsupported: "relay" });

    const handed = await callAnd(client, "greet", { error: NOT_FOUND });
    const done = saidIn(await client.callTool("photon_answer", { run: runIn(handed), answer: "Ada" }));

    expect(done.text).toBe("Hello, Ada");
  });

  it("gets the link for a durable run that a store keeps, too", async () => {
    const keys = [randomBytes(32).toString("base64")];
    const store = memoryStore();
    const { client } = await serve({ tools: [durable], store, keys, whenUnsupported: "page" });

    const handed = await callAnd(client, "durable", { error: NOT_FOUND });
    expect((await openInbox({ store, keys }).list()).runs).toHaveLength(1);
    await answerPage(linkIn(handed), "Ada");

    expect(saidIn(await client.callTool("photon_continue", { run: runIn(handed) })).text).toBe("Hello, Ada");
  });

  it.each([["page"], ["fail"]] as const)(
    "falls back in the same call, where the ask says so (%s)",
    async (way) => {
      const { client } = await serve({ tools: [optional], whenUnsupported: way });

      expect((await callAnd(client, "optional", { error: NOT_FOUND })).text).toBe("Hello, nobody");
    },
  );

  it("is not asked again on that connection", async () => {
    const { client } = await serve({ tools: [greet, twice] });

    const both = await callAnd(client, "twice", { error: NOT_FOUND });
    const later = saidIn(await client.callTool("greet"));

    expect(both.text).toBe("– –");
    expect(later).toMatchObject({ isError: true, text: expect.stringContaining("cannot be asked") });
  });

  it("is asked on another connection", async () => {
    const { client, connect } = await serve({ tools: [greet] });
    await callAnd(client, "greet", { error: NOT_FOUND });

    const said = await callAnd(await connect(), "greet", {
      result: { action: "accept", content: { value: "Ada" } },
    });

    expect(said.text).toBe("Hello, Ada");
  });

  it("is asked by the methods that it knows", async () => {
    const { client } = await serve({ tools: [think] });
    const id = client.begin("tools/call", callOf("think"));
    await client.send({ jsonrpc: "2.0", id: (await client.receive()).id, error: NOT_FOUND });
    const content = { type: "text", text: "Hm." };

    await client.reply(await client.receive("sampling/createMessage"), {
      role: "assistant",
      model: "m",
      content,
    });

    expect(saidIn(await client.answerTo(id)).text).toBe("unsupported accept");
  });

  it("of the SDK, which has no handler for it, gets the link in the same call", async () => {
    const { url } = await listening({ tools: [greet], whenUnsupported: "page", report() {} });
    const client = new Client({ name: "gateway", version: "1" }, { capabilities: { elicitation: {} } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    onTestFinished(() => client.close());

    const result = await client.callTool({ name: "greet", arguments: {} });

    expect(JSON.stringify(result)).toContain("/ask/");
  });
});

it("a client that takes one question for invalid gets the link of that one, and is asked the next", async () => {
  const { client } = await serve({ tools: [greet], whenUnsupported: "page" });

  expect(linkIn(await callAnd(client, "greet", { error: UNFIT }))).toContain("/ask/");
  const next = await callAnd(client, "greet", { result: { action: "accept", content: { value: "Ada" } } });

  expect(next.text).toBe("Hello, Ada");
});

const illegal = [
  {},
  { action: "shrug" },
  { action: "accept", content: [] },
  { action: "accept", content: "Ada" },
  { action: "accept", content: { value: { first: "Ada" } } },
  { action: "accept", content: { value: [1] } },
];

describe.each(Object.entries(transports))("a reply that is no legal answer, over %s", (_, set) => {
  it.each(illegal)(
    verifies(["B1", "B3"], "ends the question at once as not supported, and names the client: %j"),
    async (result) => {
      const { connect } = await set({ tools: [greet], report() {} });
      const client = await connect();
      await client.initialize();

      const said = await callAnd(client, "greet", { result });
      await client.request("ping");

      expect(said).toMatchObject({ isError: true, text: expect.stringContaining("cannot be asked") });
      expect(said.text).toContain('"raw 1"');
      // No response is sent to a response.
      const received = client.messages.all as readonly Message[];
      const question = received.find(hasMethod("elicitation/create"));
      expect(received.filter(isResponseTo(question?.id))).toEqual([]);
    },
  );
});

describe("a reply that is no legal answer", () => {
  it("leads to the page in the same call, where there is one", async () => {
    const { client } = await serve({ tools: [greet], whenUnsupported: "page" });

    expect(linkIn(await callAnd(client, "greet", { result: {} }))).toContain("/ask/");
  });

  it("is reported as an InvalidReply that names the client", async () => {
    const reported: unknown[] = [];
    const { client } = await serve({ tools: [greet], report: (error) => void reported.push(error) });

    await callAnd(client, "greet", { result: {} });

    expect(reported).toEqual([expect.any(InvalidReply)]);
    expect(String(reported[0])).toContain(
      'The reply to ask-1 is invalid: its action must be accept, decline or cancel; the client "raw 1" sent it.',
    );
  });

  it("falls back, where the ask says so", async () => {
    const { client } = await serve({ tools: [optional] });

    expect((await callAnd(client, "optional", { result: {} })).text).toBe("Hello, nobody");
  });

  it("ends the question whether the person goes to a page", async () => {
    const { client } = await serve({ tools: [login] });

    expect((await callAnd(client, "login", { result: {} })).text).toContain("cannot be asked");
  });

  it.each([
    ["sampling/createMessage", sample("Think.")],
    ["roots/list", roots()],
  ] as const)("ends a request of another kind, too: %s", async (method, effect) => {
    const other = tool({
      name: "other",
      async *run() {
        return (yield* ask.outcome(effect as ReturnType<typeof sample>)).action;
      },
    });
    const { client } = await serve({ tools: [other] });

    expect((await callAnd(client, "other", { result: {} }, method)).text).toBe("unsupported");
  });
});
