/** Sessions with a store: any process continues their durable runs (ARCHITECTURE.md §5.5). */
import { randomBytes } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { ask, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, type PhotonServer, type ServerOptions } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";

const keys = [randomBytes(32).toString("base64")];

interface Node {
  readonly server: PhotonServer;
  readonly url: string;
}

/** Processes that share a store. */
async function nodes(count: number, options: ServerOptions): Promise<readonly Node[]> {
  const store = memoryStore();
  return Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer({ keys, store, lease: "200ms", report() {}, ...options });
      onTestFinished(() => server.close());
      const { url } = await server.listen();
      return { server, url };
    }),
  );
}

/** Where a request goes: to this node. */
type Route = (init: RequestInit | undefined) => Node;

/** An SDK client whose person says what `answer` says, and whose requests go wherever `route` says. */
async function connect(route: Route, answer: (message: string) => object | Promise<object>): Promise<Client> {
  const client = new Client({ name: "roaming", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
    action: "accept",
    content: { ...(await answer(params.message)) },
  }));
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: (_, init) => fetch(`${route(init).url}/mcp`, init),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const methodOf = (init: RequestInit | undefined): string =>
  typeof init?.body === "string"
    ? ((JSON.parse(init.body) as { method?: string }).method ?? "answer")
    : "GET";

function wizard(done: string[]): Tool<never> {
  return tool({
    name: "wizard",
    durable: true,
    async *run() {
      const said = [];
      for (const word of ["One?", "Two?", "Three?"]) {
        said.push(yield* ask.text(word));
        yield* step("do", ({ key }) => void done.push(key.replace(/^.*\//, "")));
      }
      return said.join(" ");
    },
  });
}

const textOf = (result: unknown): unknown =>
  (result as { content: readonly { text?: string }[] }).content[0]?.text;

describe("a session over several processes", () => {
  it(verifies("E4", "takes every message in whichever process it reaches"), async () => {
    const done: string[] = [];
    const all = await nodes(3, { tools: [wizard(done)] });
    let turn = 0;
    const client = await connect(
      () => all[turn++ % all.length] as Node,
      (message) => ({ value: message.toLowerCase() }),
    );

    const results = await Promise.all(
      Array.from({ length: 5 }, () => client.callTool({ name: "wizard", arguments: {} })),
    );

    expect(results.map(textOf)).toEqual(Array.from({ length: 5 }, () => "one? two? three?"));
    expect(done.filter((key) => key === "do")).toHaveLength(5);
    expect(done).toHaveLength(15);
  });

  it(
    verifies("E4", "has an answer to a tool that is not durable passed on to the process that asked"),
    async () => {
      const plain = tool({
        name: "plain",
        async *run() {
          return yield* ask.text("Name?");
        },
      });
      const [first, second] = (await nodes(2, { tools: [plain] })) as [Node, Node];
      const client = await connect(
        (init) => (methodOf(init) === "answer" ? second : first),
        () => ({ value: "Ada" }),
      );

      expect(textOf(await client.callTool({ name: "plain", arguments: {} }))).toBe("Ada");
    },
  );

  it(
    verifies(["E4", "B8"], "has a cancel passed on, and ends everywhere when its client ends it"),
    async () => {
      let isClosed = (): void => {};
      const closed = new Promise<void>((resolve) => {
        isClosed = resolve;
      });
      const waiting = tool({
        name: "waiting",
        async *run() {
          try {
            return yield* ask.text("Name?");
          } finally {
            isClosed();
          }
        },
      });
      const [first, second] = (await nodes(2, { tools: [waiting] })) as [Node, Node];
      let isAsked = (): void => {};
      const asked = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      const client = await connect(
        (init) =>
          methodOf(init) === "notifications/cancelled" || init?.method === "DELETE" ? second : first,
        () => {
          isAsked();
          return new Promise(() => {});
        },
      );
      const gone = new AbortController();
      const calling = client.callTool({ name: "waiting", arguments: {} }, undefined, { signal: gone.signal });
      await asked;

      gone.abort("enough");

      await expect(calling).rejects.toThrow("enough");
      await closed;
      await (client.transport as StreamableHTTPClientTransport).terminateSession();
      await expect.poll(() => first.server.sessions).toBe(0);
    },
  );

  it(
    verifies(["E2", "E4", "C9"], "goes on in another process when the one it waited in has gone"),
    async () => {
      const done: string[] = [];
      const [first, second] = (await nodes(2, { tools: [wizard(done)] })) as [Node, Node];
      let home = first;
      const client = await connect(
        () => home,
        async (message) => {
          // While its person thinks about the second question, the process goes away.
          if (message === "Two?" && home === first) {
            home = second;
            await first.server.close();
          }
          return { value: message.toLowerCase() };
        },
      );

      const result = await client.callTool({ name: "wizard", arguments: {} });

      expect(textOf(result)).toBe("one? two? three?");
      expect(done).toEqual(["do", "do#2", "do#3"]);
    },
  );

  it(
    verifies(["E1", "E4"], "is not taken from a process that is in the middle of its first step"),
    async () => {
      const done: string[] = [];
      let proceed = (): void => {};
      const going = new Promise<void>((resolve) => {
        proceed = resolve;
      });
      let runId = "";
      let isBegun = (): void => {};
      const begun = new Promise<void>((resolve) => {
        isBegun = resolve;
      });
      const slow = tool({
        name: "slow",
        durable: true,
        async *run(_, context) {
          ({ runId } = context);
          yield* step("first", async () => {
            done.push("first");
            isBegun();
            await going;
          });
          return `Hello ${yield* ask.text("Name?")}`;
        },
      });
      const [first, second] = (await nodes(2, { tools: [slow] })) as [Node, Node];
      let cameBack = (): void => {};
      const back = new Promise<void>((resolve) => {
        cameBack = resolve;
      });
      const client = await connect(
        (init) => {
          if (new Headers(init?.headers).has("last-event-id")) cameBack();
          return methodOf(init) === "GET" ? second : first;
        },
        () => ({ value: "Ada" }),
      );
      const calling = client.callTool({ name: "slow", arguments: {} });
      await begun;
      first.server.disconnect(runId);
      await back;
      proceed();

      expect(textOf(await calling)).toBe("Hello Ada");
      expect(done).toEqual(["first"]);
    },
  );

  it(verifies(["E4", "E6"], "hears what the inbox has answered of a round before it is asked"), async () => {
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const { a, b } = yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
        return `${a} ${b}`;
      },
    });
    const [only] = (await nodes(1, { tools: [both] })) as [Node];
    const asked: string[] = [];
    const client = await connect(
      () => only,
      async (message) => {
        asked.push(message);
        const [{ run } = { run: "" }] = (await only.server.inbox.list()).runs;
        await Promise.all([
          only.server.inbox.answer(run, "b", { action: "accept", value: "second" }),
          only.server.inbox.answer(run, "a", { action: "accept", value: "first" }),
        ]);
        return new Promise<object>(() => {});
      },
    );

    const result = await client.callTool({ name: "both", arguments: {} });

    expect(textOf(result)).toBe("first second");
    expect(asked).toEqual(["A?"]);
  });
});
