/** Both eras at once on one socket, one pipe and one address: neither changes the other. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { listening, transports } from "../wire/servers.ts";
import {
  overConnection,
  overHttp,
  overStatelessHttp,
  overWebSocket,
} from "../../../../test/clients/carriers.ts";
import { type Message, hasMethod } from "../../../../test/clients/messages.ts";
import {
  MODERN,
  StatelessClient,
  type RawClient,
  accepted,
  callOf,
  codeIn,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";

/** Calls in a session, and answers what is asked. */
async function greetInSession(line: RawClient, name: string): Promise<string> {
  const id = line.begin("tools/call", callOf("greet"));
  await line.accept(await line.receive(), name);
  return textOf(await line.answerTo(id));
}

async function greetAlone(client: StatelessClient, name: string): Promise<string> {
  const asked = await client.call("greet");
  return textOf((await client.accept(asked, { "ask-1": name })).answer);
}

const lines = [
  ["stdio", transports.stdio],
  ["websocket", transports.websocket],
] as const;

describe.each(lines)("one line over %s", (_, set) => {
  /** Ids that no session on the same line uses. */
  const alone = (line: RawClient): StatelessClient => {
    const way = overConnection(line);
    return new StatelessClient({
      ...way,
      begin: (message, headers) => way.begin({ ...message, id: `m${message.id}` }, headers),
    });
  };

  it(
    verifies("C2", "begins with a discovery, and is then a session: the discovery has pinned nothing"),
    async () => {
      const line = await (await set({ tools: [greet] })).connect();

      const discovered = await alone(line).request("server/discover");
      const initialized = await line.initialize();

      expect(discovered.answer.result?.["supportedVersions"]).toEqual([MODERN]);
      expect(initialized.result?.["protocolVersion"]).toBe("2025-11-25");
      expect(await greetInSession(line, "Ada")).toBe("Hello, Ada");
    },
  );

  it(verifies("C2", "begins with a discovery, and goes on with requests that stand alone"), async () => {
    const client = alone(await (await set({ tools: [greet] })).connect());

    await client.request("server/discover");

    expect(await greetAlone(client, "Ada")).toBe("Hello, Ada");
  });

  it(verifies("C2", "need not begin with a discovery: any request may be the first"), async () => {
    const client = alone(await (await set({ tools: [greet] })).connect());

    expect(await greetAlone(client, "Ada")).toBe("Hello, Ada");
  });

  it(
    verifies("C2", "is a session that requests which stand alone come in between of, in any order"),
    async () => {
      const line = await (await set({ tools: [greet] })).connect();
      const client = alone(line);
      await line.initialize();

      expect(await greetAlone(client, "one")).toBe("Hello, one");
      expect(await greetInSession(line, "two")).toBe("Hello, two");
      const id = line.begin("tools/call", callOf("greet"));
      const question = await line.receive();
      expect(await greetAlone(client, "three")).toBe("Hello, three");
      await client.request("server/discover");
      await line.accept(question, "four");
      expect(textOf(await line.answerTo(id))).toBe("Hello, four");
    },
  );

  it("asks a session by a request, and never whoever sent one that stands alone", async () => {
    const line = await (await set({ tools: [greet] })).connect();
    await line.initialize();

    const asked = await alone(line).call("greet");

    expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
    await line.request("ping");
    expect((line.messages.all as readonly Message[]).filter(hasMethod("elicitation/create"))).toEqual([]);
  });

  it("is a session once more for what claims nothing, also after requests that stand alone", async () => {
    const line = await (await set({ tools: [echo] })).connect();

    await alone(line).call("echo");
    const early = await line.callTool("echo", { text: "x" });

    expect(early.error?.message).toBe("tools/call came before initialize.");
  });

  it("knows the client of each request by what that request says", async () => {
    const able = tool({
      name: "able",
      async *run(_input, { client }) {
        return { name: client.name, form: client.can.form };
      },
    });
    const line = await (await set({ tools: [able] })).connect();
    await line.initialize("2025-11-25", {});

    const { answer } = await alone(line).call("able");
    const inSession = await line.callTool("able");

    expect(answer.result?.["structuredContent"]).toEqual({ name: "raw", form: true });
    expect(inSession.result?.["structuredContent"]).toEqual({ name: "raw", form: false });
  });
});

describe("one address over HTTP", () => {
  it(
    verifies("C2", "serves sessions and requests that stand alone at once, and a WebSocket beside them"),
    async () => {
      const { server, url } = await listening({ tools: [greet] });
      const session = await overHttp(url);
      await session.initialize();
      const socket = await overWebSocket(url);
      await socket.initialize();
      const client = new StatelessClient(overStatelessHttp(url));

      const greeted = await Promise.all([
        greetInSession(session, "session"),
        greetAlone(client, "alone"),
        greetInSession(socket, "socket"),
        greetAlone(new StatelessClient(overConnection(await overWebSocket(url))), "alone on a socket"),
      ]);

      expect(greeted).toEqual([
        "Hello, session",
        "Hello, alone",
        "Hello, socket",
        "Hello, alone on a socket",
      ]);
      expect(server.sessions).toBe(3);
    },
  );

  it("is no session's for a request that stands alone, even where it names one", async () => {
    const { url } = await listening({ tools: [greet] });
    const session = await overHttp(url);
    await session.initialize();
    const id = String(session.headers()["mcp-session-id"]);
    const client = new StatelessClient(overStatelessHttp(url, { "mcp-session-id": id }));

    const asked = await client.call("greet");

    expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
    expect(await greetInSession(session, "Ada")).toBe("Hello, Ada");
  });
});

describe("a call that stands alone", () => {
  it(verifies("C6", "may go on elsewhere than it began: its state belongs to no line"), async () => {
    const wizard = tool({
      name: "wizard",
      async *run() {
        const answers = [];
        for (const word of ["One?", "Two?", "Three?"]) answers.push(yield* ask.text(word));
        return answers.join(" ");
      },
    });
    const { url } = await listening({ tools: [wizard] });
    const first = new StatelessClient(overStatelessHttp(url));
    const second = new StatelessClient(overConnection(await overWebSocket(url)));

    let received = await first.call("wizard");
    received = await second.accept(received, { "ask-1": "socket" });
    await second.close();
    received = await new StatelessClient(overStatelessHttp(url)).accept(received, { "ask-2": "http" });
    const last = await new StatelessClient(overConnection(await overWebSocket(url))).retry(
      received,
      accepted({ "ask-3": "again" }),
    );

    expect(textOf(last.answer)).toBe("socket http again");
  });

  it("is known to a session by nothing: its state opens nothing there", async () => {
    const { url } = await listening({ tools: [greet] });
    const asked = await new StatelessClient(overStatelessHttp(url)).call("greet");
    const line = await overWebSocket(url);
    await line.initialize();

    const id = line.begin("tools/call", {
      ...callOf("greet"),
      requestState: asked.answer.result?.["requestState"],
      inputResponses: accepted({ "ask-1": "Ada" }),
    });

    await line.accept(await line.receive(), "Bob");
    expect(textOf(await line.answerTo(id))).toBe("Hello, Bob");
    expect(
      codeIn(await new StatelessClient(overStatelessHttp(url)).accept(asked, { "ask-1": "Ada" })),
    ).toBeUndefined();
  });
});
