/** Clients that answer in place of a person, or never show a question (requirement B10). */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { ClientMisreports, type ServerOptions } from "../../src/index.ts";
import { bearer, tokens } from "../auth/callers.ts";
import { declinePage } from "../secrets/person.ts";
import { login } from "../secrets/tools.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import type { Message } from "../../../../test/clients/messages.ts";
import { StatelessClient, callOf } from "../../../../test/clients/raw-client.ts";
import { greet } from "../wire/tools.ts";
import { stillClock, type StillClock } from "./still-clock.ts";

/** Longer than it takes a person to read, in milliseconds. */
const A_WHILE = 2000;
const SENTENCE =
  'The client "raw 1" declined at once 3 questions in a row, so it may not show them to a user.';

/** How long a suspicion lasts, in milliseconds. */
const AN_HOUR = 3_600_000;

/** Asks four questions, one after another, and says what came of each. */
const four = tool({
  name: "four",
  async *run() {
    const actions: string[] = [];
    for (const word of ["one", "two", "three", "four"])
      actions.push((yield* ask.outcome(ask.text(word, { id: word }))).action);
    return actions.join(" ");
  },
});

type Doing = "accept" | "decline" | "cancel" | "timeout";

interface Asked {
  readonly url: string;
  readonly clock: StillClock;
  readonly reported: unknown[];
  /** Calls a tool that asks for a name; the client does this after so many milliseconds. Gives what the result says. */
  readonly ask: (action: Doing, after?: number) => Promise<string>;
  readonly call: (name: string) => Promise<Message>;
  /** Calls a tool that asks four things; the client does this with the first three. Gives what the result says. */
  readonly askFour: (action: Doing) => Promise<string>;
}

type StartServer = (options?: ServerOptions) => Promise<Asked>;

const textsIn = ({ result, error }: Message): string =>
  error?.message ??
  ((result?.["content"] ?? []) as readonly { readonly text?: string }[]).map(({ text }) => text).join("\n");

async function serve(options: ServerOptions): Promise<Omit<Asked, "ask" | "askFour" | "call">> {
  const clock = stillClock();
  const reported: unknown[] = [];
  const report = (error: unknown): void => void reported.push(error);
  const { url } = await listening({ tools: [greet, login, four], clock, report, ...options });
  return { url, clock, reported };
}

const onSession: StartServer = async (options = {}) => {
  const served = await serve(options);
  const client = await overWebSocket(served.url);
  await client.initialize();
  return {
    ...served,
    call: (name) => client.callTool(name),
    async ask(action, after = 0) {
      const id = client.begin("tools/call", callOf("greet"));
      const question = await client.receive();
      served.clock.leap(action === "timeout" ? 300_000 : after);
      if (action === "accept") await client.accept(question, "Ada");
      else if (action !== "timeout") await client.reply(question, { action });
      return textsIn(await client.answerTo(id));
    },
    async askFour(action) {
      const id = client.begin("tools/call", callOf("four"));
      for (let at = 0; at < 3; at++) {
        const question = await client.receive();
        // The server has heard from the client since the clock was last put forward.
        await client.request("ping");
        if (action === "timeout") served.clock.leap(300_000);
        else await client.reply(question, { action });
      }
      return textsIn(await client.answerTo(id));
    },
  };
};

const alone: StartServer = async (options = {}) => {
  const served = await serve(options);
  const client = new StatelessClient(overStatelessHttp(served.url));
  return {
    ...served,
    call: async (name) => (await client.call(name)).answer,
    async ask(action, after = 0) {
      const asked = await client.call("greet");
      served.clock.leap(action === "timeout" ? 300_000 : after);
      const content = action === "accept" ? { content: { value: "Ada" } } : {};
      return textsIn((await client.retry(asked, { "ask-1": { action, ...content } })).answer);
    },
    async askFour(action) {
      let asked = await client.call("four");
      for (const key of ["one", "two", "three"]) {
        if (action === "timeout") served.clock.leap(300_000);
        asked = await client.retry(asked, { [key]: { action } });
      }
      return textsIn(asked.answer);
    },
  };
};

const health = async (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
  (await fetch(`${url}/healthz`, { headers })).json();

describe.each<[string, StartServer]>([
  ["2025-11-25", onSession],
  ["2026-07-28", alone],
])("a client of %s", (_, set) => {
  it.each([
    ["decline", "declined at once"],
    ["cancel", "cancelled at once"],
    ["timeout", "let expire"],
  ] as const)(
    verifies("B10", "that does as no person does three times in a row is reported, once: %s"),
    async (action, does) => {
      const { ask: asking, reported, url } = await set();

      const texts = [await asking(action), await asking(action), await asking(action), await asking(action)];

      const sentence = SENTENCE.replace("declined at once", does);
      expect(reported).toEqual([expect.any(ClientMisreports)]);
      expect(reported).toMatchObject([{ code: "CLIENT_MISREPORTS", message: sentence }]);
      expect(texts.map((text) => text.includes(sentence))).toEqual([false, false, true, true]);
      expect(await health(url)).toEqual({ status: "ok", suspicions: [sentence] });
    },
  );

  it(
    verifies(
      "B10",
      "that lets a person decide is not: one who takes their time, or accepts, begins the count anew",
    ),
    async () => {
      const { ask: asking, reported, url } = await set();

      for (const [action, after] of [
        ["decline", 0],
        ["cancel", 0],
        ["decline", A_WHILE],
        ["decline", 0],
        ["decline", 0],
        ["accept", 0],
        ["timeout", 0],
        ["decline", 0],
        ["accept", A_WHILE],
      ] as const)
        await asking(action, after);

      expect(reported).toEqual([]);
      expect(await health(url)).toEqual({ status: "ok" });
    },
  );

  it(verifies("B10", "that accepts at once is nobody's business"), async () => {
    const { ask: asking, reported } = await set();

    const texts = [
      await asking("accept"),
      await asking("accept"),
      await asking("accept"),
      await asking("accept"),
    ];

    expect(texts).toEqual(["Hello, Ada", "Hello, Ada", "Hello, Ada", "Hello, Ada"]);
    expect(reported).toEqual([]);
  });

  it(verifies(["B1", "B10"], "that is suspected is asked as ever, and its no stays a no"), async () => {
    const { ask: asking } = await set();
    for (let at = 0; at < 3; at++) await asking("decline");

    expect(await asking("decline")).toContain("declined");
    expect(await asking("accept")).toBe("Hello, Ada");
  });

  it(verifies(["B4", "B10"], "that is suspected cannot ask, where such are distrusted"), async () => {
    const { askFour } = await set({ distrust: true });

    expect(await askFour("decline")).toBe("decline decline decline unsupported");
  });

  it(verifies(["B4", "B10"], "that is distrusted is handed over, where calls are"), async () => {
    const { askFour } = await set({ distrust: true, whenUnsupported: "page" });

    expect(await askFour("timeout")).toContain("/ask/");
  });

  it("is reported no more once the suspicion has expired", async () => {
    const { ask: asking, clock, url } = await set();
    for (let at = 0; at < 3; at++) await asking("decline");

    clock.leap(AN_HOUR);

    expect(await health(url)).toEqual({ status: "ok" });
    expect(await asking("decline")).not.toContain("may not show them");
  });
});

describe("what is no word of the client", () => {
  it("is not held against it: a person who declines on the page, or never comes to it", async () => {
    const { url, reported, clock } = await onSession();
    const client = await overWebSocket(url);
    await client.initialize();
    for (const way of ["decline", "stay away", "decline", "stay away"]) {
      const id = client.begin("tools/call", callOf("login"));
      const question = await client.receive();
      await client.reply(question, { action: "accept" });
      await client.request("ping");
      if (way === "decline") await declinePage(String(question.params?.["url"]));
      else clock.leap(300_000);
      await client.answerTo(id);
    }

    expect(reported).toEqual([]);
  });

  it("is not counted: a call that was cancelled", async () => {
    const { url, reported } = await onSession();
    const client = await overWebSocket(url);
    await client.initialize();
    for (let at = 0; at < 4; at++) {
      const id = client.begin("tools/call", callOf("greet"));
      await client.receive();
      await client.notify("notifications/cancelled", { requestId: id });
      await client.request("ping");
    }

    expect(reported).toEqual([]);
  });
});

describe("suspicions", () => {
  it(verifies("B10", "are of one client by its name and version, not of another"), async () => {
    const { url, ask: asking } = await onSession({ distrust: true });
    for (let at = 0; at < 3; at++) await asking("decline");
    const other = await overWebSocket(url);
    await other.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "raw", version: "2" },
    });
    await other.notify("notifications/initialized");

    const id = other.begin("tools/call", callOf("greet"));
    await other.accept(await other.receive(), "Ada");

    expect(textsIn(await other.answerTo(id))).toBe("Hello, Ada");
  });

  it("are taken back by an answer, which only a person gives", async () => {
    const { url, ask: asking, reported } = await alone();
    for (let at = 0; at < 3; at++) await asking("decline");

    await asking("accept", A_WHILE);

    expect(await asking("decline", A_WHILE)).not.toContain("may not show them");
    expect(await health(url)).toEqual({ status: "ok" });
    expect(reported).toHaveLength(1);
  });

  it(verifies("B10", "belong to a session: another one of the same client is asked as ever"), async () => {
    const { url, ask: asking, call } = await onSession({ distrust: true });
    for (let at = 0; at < 3; at++) await asking("decline");
    const other = await overWebSocket(url);
    await other.initialize();

    const id = other.begin("tools/call", callOf("greet"));
    await other.accept(await other.receive(), "Ada");

    expect(textsIn(await other.answerTo(id))).toBe("Hello, Ada");
    expect(textsIn(await call("greet"))).toContain("cannot be asked");
  });

  it(verifies("B10", "belong to a call in 2026-07-28: the next one is asked as ever"), async () => {
    const { ask: asking, askFour, call } = await alone({ distrust: true });

    expect(await askFour("decline")).toContain("unsupported");
    for (let at = 0; at < 3; at++) expect(await asking("decline")).toContain("declined");

    expect((await call("greet")).result).toHaveProperty("inputRequests");
  });

  it("expire: the session is asked again after an hour", async () => {
    const { ask: asking, call, clock } = await onSession({ distrust: true });
    for (let at = 0; at < 3; at++) await asking("decline");
    expect(textsIn(await call("greet"))).toContain("cannot be asked");

    clock.leap(AN_HOUR);

    expect(await asking("accept")).toBe("Hello, Ada");
  });

  it("are told at /healthz to whoever they are about, where it is known who that is", async () => {
    const { url } = await serve({ tokens });
    const eve = new StatelessClient(overStatelessHttp(url, bearer(tokens.eve)));
    for (let at = 0; at < 3; at++)
      await eve.retry(await eve.call("greet"), { "ask-1": { action: "decline" } });

    expect(await health(url)).toEqual({ status: "ok" });
    expect(await health(url, bearer(tokens.ada))).toEqual({ status: "ok" });
    expect(await health(url, bearer(tokens.eve))).toEqual({ status: "ok", suspicions: [SENTENCE] });
  });

  it("write a client's name so that it cannot forge a line of a log", async () => {
    const { url, reported } = await serve({
      tools: [
        tool({
          name: "three",
          async *run() {
            for (const word of ["one", "two", "three"]) yield* ask.outcome(ask.text(word));
          },
        }),
      ],
    });
    const client = await overWebSocket(url);
    await client.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "nice\n\u001b[31mERROR", version: "1" },
    });
    await client.notify("notifications/initialized");
    const id = client.begin("tools/call", callOf("three"));
    for (let at = 0; at < 3; at++) await client.reply(await client.receive(), { action: "decline" });
    await client.answerTo(id);

    expect(String(reported[0])).toContain(String.raw`"nice\n\u001b[31mERROR 1"`);
  });
});
