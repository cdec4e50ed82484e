/** Clients of 2026-07-28 take ten rounds of questions in one call; then another call continues it (docs/clients.md). */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ask, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { PhotonServer, ServerOptions } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { openStore } from "../../src/stores/open-store.ts";
import { runIn, saidIn } from "../handover/model.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import {
  type Exchange,
  StatelessClient,
  accepted,
  questionsIn,
} from "../../../../test/clients/raw-client.ts";
import { folder } from "../stores/folder.ts";

const keys = [randomBytes(32).toString("base64")];

/** A server that says nothing of how often its tools ask. */
const serving = (options: ServerOptions): ReturnType<typeof listening> =>
  listening({ ...options, report: () => {} });

/** Asks so many questions, one after another, and notes each answer. */
function survey(questions: number, more: { readonly durable?: boolean; noted?: string[] } = {}): Tool<never> {
  const { noted = [], ...about } = more;
  return tool({
    name: "survey",
    ...about,
    async *run() {
      const answers: string[] = [];
      for (let number = 1; number <= questions; number++) {
        const answer = yield* ask.text(`Question ${number}?`, { id: `q${number}` });
        yield* step("note", () => void noted.push(answer));
        answers.push(answer);
      }
      return answers.join(" ");
    },
  });
}

const numbers = (count: number): string => Array.from({ length: count }, (_, index) => index + 1).join(" ");

/** A client of the SDK, whose person answers with the number of the question. */
async function guestAt(url: string): Promise<{ client: Client; asked: string[] }> {
  const asked: string[] = [];
  const client = new Client(
    { name: "guest", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
    asked.push(message);
    return { action: "accept", content: { value: /\d+/.exec(message)?.[0] ?? "" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());
  return { client, asked };
}

/** What the SDK client was told by a tool. */
const said = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
  const result = await client.callTool({ name, arguments: input });
  const { text } = saidIn({ result: { ...result } });
  return { text, isError: result.isError === true };
};

/** Calls, and continues as often as it is told to; what was said each time. */
async function throughout(client: Client): Promise<readonly string[]> {
  const told = [(await said(client, "survey")).text];
  while (told.at(-1)?.includes("photon_continue") === true) {
    const run = runIn({ text: told.at(-1) ?? "", isError: false, wire: {} });
    told.push((await said(client, "photon_continue", { run })).text);
  }
  return told;
}

const kinds: Readonly<Record<string, () => ServerOptions>> = {
  "that is not durable": () => ({ tools: [survey(23)] }),
  "that is not durable, beside a store": () => ({ tools: [survey(23)], keys, store: memoryStore() }),
  "that is durable": () => ({ tools: [survey(23, { durable: true })], keys }),
  "that is durable, in a store": () => ({
    tools: [survey(23, { durable: true })],
    keys,
    store: memoryStore(),
  }),
  "whose questions have pages otherwise": () => ({ tools: [survey(23)], whenUnsupported: "page" }),
};

describe.each(Object.entries(kinds))("a call %s, at a client of the SDK", (_, options) => {
  it(
    verifies(
      ["C6", "C8"],
      "asks more than ten rounds, with nothing lost: after ten another call continues it",
    ),
    async () => {
      const { url, server } = await serving(options());
      const { client, asked } = await guestAt(url);

      const told = await throughout(client);

      expect(told).toHaveLength(3);
      expect(told.at(-1)).toBe(numbers(23));
      expect(asked).toEqual(Array.from({ length: 23 }, (__, index) => `Question ${index + 1}?`));
      await expect.poll(() => server.parked).toBe(0);
    },
  );
});

it(verifies("C6", "exactly ten rounds are one call"), async () => {
  const { url } = await serving({ tools: [survey(10)] });
  const { client } = await guestAt(url);

  expect(await throughout(client)).toEqual([numbers(10)]);
});

it(
  verifies(
    ["C6", "C8"],
    "a tool with an output is handed over as an error, which clients take; photon_continue has no output, and gives a text",
  ),
  async () => {
    const counted = tool({
      name: "survey",
      output: { type: "object", properties: { count: { type: "number" } }, required: ["count"] },
      async *run() {
        for (let number = 1; number <= 21; number++) yield* ask.text(`Question ${number}?`);
        return { count: 21 };
      },
    });
    const { url } = await serving({ tools: [counted] });
    const { client } = await guestAt(url);
    await client.listTools();

    const handed = await said(client, "survey");
    const again = await said(client, "photon_continue", { run: runIn({ ...handed, wire: {} }) });
    const run = runIn({ ...again, wire: {} });
    const done = await client.callTool({ name: "photon_continue", arguments: { run } });

    expect(handed.isError).toBe(true);
    expect(again).toMatchObject({ isError: false, text: expect.stringContaining("photon_continue") });
    expect(done.structuredContent).toEqual({ count: 21 });
  },
);

describe("photon_continue", () => {
  const listed = async (client: StatelessClient): Promise<unknown> => {
    const { answer } = await client.request("tools/list");
    const tools = (answer.result?.["tools"] ?? []) as readonly { name: string }[];
    return tools.map(({ name }) => name);
  };

  it(verifies("C6", "is listed for clients that can be asked, and take only so many rounds"), async () => {
    const { url } = await serving({ tools: [survey(1)] });
    const form = { elicitation: {} };

    expect(await listed(new StatelessClient(overStatelessHttp(url), form))).toEqual([
      "survey",
      "photon_continue",
    ]);
    expect(await listed(new StatelessClient(overStatelessHttp(url), {}))).toEqual(["survey"]);
    const anyNumber = { ...form, extensions: { "photon/rounds": {} } };
    expect(await listed(new StatelessClient(overStatelessHttp(url), anyNumber))).toEqual(["survey"]);
  });

  it(verifies("C6", "is not listed where the server says that clients take any number"), async () => {
    const { url } = await serving({ tools: [survey(1)], limits: { roundsPerCall: Infinity } });

    expect(await listed(new StatelessClient(overStatelessHttp(url), { elicitation: {} }))).toEqual([
      "survey",
    ]);
  });

  it(verifies("C6", "may be the name of a tool of one's own, where nothing is handed over"), async () => {
    const own = tool({
      name: "photon_continue",
      async *run() {
        return "Mine.";
      },
    });
    const { url } = await serving({ tools: [own] });

    const received = await new StatelessClient(overStatelessHttp(url), { elicitation: {} }).call(
      "photon_continue",
    );

    expect(saidIn(received.answer).text).toBe("Mine.");
  });
});

/** Answers whatever is asked, round by round, until the call ends. */
async function answering(client: StatelessClient, first: Exchange): Promise<Exchange> {
  let received = first;
  while (received.answer.result?.["resultType"] === "input_required") {
    const answers = Object.entries(questionsIn(received)).map(
      ([key, { params }]) => [key, /\d+/.exec(String(params?.["message"]))?.[0]] as const,
    );
    received = await client.retry(received, accepted(Object.fromEntries(answers)));
  }
  return received;
}

describe("a call that another continues", () => {
  const form = { elicitation: {} };

  it(
    verifies("C6", "has as many rounds as the server is told, and any number for clients that say so"),
    async () => {
      const { url } = await serving({ tools: [survey(5)], limits: { roundsPerCall: 2 } });
      const client = new StatelessClient(overStatelessHttp(url), form);
      const patient = new StatelessClient(overStatelessHttp(url), {
        ...form,
        extensions: { "photon/rounds": {} },
      });

      const handed = saidIn((await answering(client, await client.call("survey"))).answer);
      const whole = saidIn((await answering(patient, await patient.call("survey"))).answer);

      expect(handed.text).toContain("photon_continue");
      expect(whole.text).toBe(numbers(5));
    },
  );

  it(
    verifies(["E2", "E4"], "is continued by any process with the same store, each step done once"),
    async () => {
      const noted: string[] = [];
      const options = { tools: [survey(15, { durable: true, noted })], keys, store: memoryStore() };
      const [one, two] = [await serving(options), await serving(options)];
      const [here, there] = [one, two].map(
        ({ url }) => new StatelessClient(overStatelessHttp(url), form),
      ) as [StatelessClient, StatelessClient];
      const handed = saidIn((await answering(here, await here.call("survey"))).answer);
      await one.server.close();

      const continued = await there.call("photon_continue", { run: runIn(handed) });
      const done = await answering(there, continued);

      expect(saidIn(done.answer).text).toBe(numbers(15));
      expect(noted.join(" ")).toBe(numbers(15));
    },
  );

  it(
    verifies(["E2", "C6"], "is retried at another process, with the state that its client carries"),
    async () => {
      const options = { tools: [survey(15, { durable: true })], keys };
      const [one, two] = [await serving(options), await serving(options)];
      const here = new StatelessClient(overStatelessHttp(one.url), form);
      const there = new StatelessClient(overStatelessHttp(two.url), form);
      const handed = saidIn((await answering(here, await here.call("survey"))).answer);
      const continued = await here.call("photon_continue", { run: runIn(handed) });
      await one.server.close();

      const done = await answering(there, continued);

      expect(saidIn(done.answer).text).toBe(numbers(15));
    },
  );

  it.each(["still runs", "has stopped"])(
    verifies(
      ["E2", "E4", "C6"],
      "is asked in one process and answered in another, on one SQLite store, while the first %s",
    ),
    async (first) => {
      const noted: string[] = [];
      const path = `sqlite:${join(folder(), "photon.db")}`;
      const start = async (): Promise<{ server: PhotonServer; client: StatelessClient }> => {
        const store = await openStore(path);
        onTestFinished(() => store.close());
        const { server, url } = await serving({ tools: [survey(15, { durable: true, noted })], keys, store });
        return { server, client: new StatelessClient(overStatelessHttp(url), form) };
      };
      const [one, two] = [await start(), await start()];
      const handed = saidIn((await answering(one.client, await one.client.call("survey"))).answer);
      const continued = await one.client.call("photon_continue", { run: runIn(handed) });
      const asked = await one.client.retry(continued, accepted({ q11: "11" }));
      if (first === "has stopped") await one.server.close();

      const done = await answering(two.client, asked);

      expect(Object.keys(questionsIn(asked))).toEqual(["q12"]);
      expect(saidIn(done.answer).text).toBe(numbers(15));
      expect(noted.join(" ")).toBe(numbers(15));
    },
  );

  it(verifies("E4", "is passed on to the process that has it, where it is not durable"), async () => {
    const options = { tools: [survey(12)], keys, store: memoryStore() };
    const [one, two] = [await serving(options), await serving(options)];
    const here = new StatelessClient(overStatelessHttp(one.url), form);
    const there = new StatelessClient(overStatelessHttp(two.url), form);
    const handed = saidIn((await answering(here, await here.call("survey"))).answer);

    const done = await answering(there, await there.call("photon_continue", { run: runIn(handed) }));

    expect(saidIn(done.answer).text).toBe(numbers(12));
  });

  it(
    verifies("C6", "is asked again where the same is called once more, and waits for nobody else"),
    async () => {
      const { url } = await serving({
        tools: [survey(12)],
        authenticate: ({ headers }) => headers.authorization,
      });
      const ada = new StatelessClient(overStatelessHttp(url, { authorization: "ada" }), form);
      const eve = new StatelessClient(overStatelessHttp(url, { authorization: "eve" }), form);
      const run = runIn(saidIn((await answering(ada, await ada.call("survey"))).answer));

      const theirs = saidIn((await eve.call("photon_continue", { run })).answer);
      const first = await ada.call("photon_continue", { run });
      const again = await ada.call("photon_continue", { run });
      const late = await ada.retry(first, accepted({ q11: "11" }));
      const done = await answering(ada, again);

      expect(theirs).toMatchObject({ isError: true, text: expect.stringContaining("No call waits") });
      expect(Object.keys(questionsIn(again))).toEqual(Object.keys(questionsIn(first)));
      expect(late.answer.error?.code).toBe(-32602);
      expect(saidIn(done.answer).text).toBe(numbers(12));
    },
  );

  it(verifies("C6", "gives its result again in a store, and waits under no name otherwise"), async () => {
    for (const store of [memoryStore(), undefined]) {
      const durable = store !== undefined;
      const { url } = await serving({
        tools: [survey(11, { durable })],
        ...(store === undefined ? {} : { store, keys }),
      });
      const client = new StatelessClient(overStatelessHttp(url), form);
      const run = runIn(saidIn((await answering(client, await client.call("survey"))).answer));
      await answering(client, await client.call("photon_continue", { run }));

      const late = saidIn((await client.call("photon_continue", { run })).answer);

      expect(late.text).toContain(durable ? numbers(11) : "No call waits");
    }
  });
});
