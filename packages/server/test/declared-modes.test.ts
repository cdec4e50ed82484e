/** A client that declares url elicitation on a revision before it: Codex 0.166 and SDK 1.23 do, on 2025-06-18. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ask, tool, UrlRequired } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { mountTools } from "../src/sdk/index.ts";
import type { AnswerHandler } from "../../../test/clients/answers.ts";
import { connectInMemory, connectV1 } from "../../../test/clients/connect.ts";
import { httpV1 } from "../../../test/clients/connections.ts";
import type { SdkV1Client } from "../../../test/clients/sdk-v1-client.ts";
import { answerPage } from "./secrets/person.ts";
import { login } from "./secrets/tools.ts";
import { listening } from "./wire/servers.ts";
import { overWebSocket } from "../../../test/clients/carriers.ts";
import { textOf } from "../../../test/clients/raw-client.ts";

const OLDER = "2025-06-18";

const visit = tool({
  name: "visit",
  async *run(_, { client }) {
    return `${client.can.url} ${(yield* ask.outcome(ask.url("Pay here.", "https://pay.example/1"))).action}`;
  },
});

const room = tool({
  name: "room",
  async *run() {
    const view = yield* ask.select("View?", [{ value: "s", title: "Sea" }], { default: "s" });
    const extras = yield* ask.multiselect("Extras?", [{ value: "w", title: "Wifi" }, "tea"]);
    return `${view} ${extras.join("+")}`;
  },
});

const signIn = tool({
  name: "sign_in",
  async *run() {
    throw new UrlRequired([{ message: "Sign in.", url: "https://id.example/1" }]);
  },
});

/** An SDK client that offers 2025-11-25, at a server that speaks 2025-06-18 at most. */
async function connectOlder(answer: AnswerHandler): Promise<SdkV1Client> {
  const { url } = await listening({ tools: [visit, room, login], maxRevision: OLDER });
  return connectV1(httpV1(url), { answer });
}

describe("a client that declares url elicitation on 2025-06-18", () => {
  it(verifies(["B4", "C3"], "is sent to web addresses, and its tools know that it can be"), async () => {
    const client = await connectOlder(() => ({ action: "accept" }));

    const { text } = await client.call("visit");

    expect(text).toBe("true accept");
    expect(client.questions).toEqual([
      expect.objectContaining({
        mode: "url",
        url: "https://pay.example/1",
        elicitationId: expect.any(String),
      }),
    ]);
  });

  it(verifies(["B4", "B6"], "has its person answer a secret on the page"), async () => {
    const client = await connectOlder(async ({ params }) => {
      await answerPage("url" in params ? params.url : "", "hunter2hunter2");
      return { action: "accept" };
    });

    const { text } = await client.call("login");

    expect(text).toBe("true 14 [secret]");
  });

  it(verifies("C3", "is asked to choose by titles, also for several, with what is suggested"), async () => {
    const values: Record<string, string | string[]> = { "View?": "s", "Extras?": ["w", "tea"] };
    const client = await connectOlder(({ message }) => ({
      action: "accept",
      content: { value: values[message] ?? "" },
    }));

    const { text } = await client.call("room");

    expect(text).toBe("s w+tea");
    const properties = [
      { value: { type: "string", title: "View?", default: "s", oneOf: [{ const: "s", title: "Sea" }] } },
      {
        value: {
          type: "array",
          title: "Extras?",
          items: {
            anyOf: [
              { const: "w", title: "Wifi" },
              { const: "tea", title: "tea" },
            ],
          },
        },
      },
    ];
    expect(client.questions).toMatchObject(
      properties.map((one) => ({ requestedSchema: { properties: one } })),
    );
  });

  it(verifies("C3", "is told by the error of its call where its person must go first"), async () => {
    const { url } = await listening({ tools: [signIn] });
    const client = await overWebSocket(url);
    await client.initialize(OLDER);

    const { error } = await client.callTool("sign_in");

    expect(error).toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: "url", url: "https://id.example/1" }] },
    });
  });

  it(verifies("B4", "and forms as that revision has them, if it declares no url elicitation"), async () => {
    const { url } = await listening({ tools: [visit, room] });
    const client = await overWebSocket(url);
    await client.initialize(OLDER, { elicitation: { form: {} } });

    const visited = await client.callTool("visit");
    client.begin("tools/call", { name: "room", arguments: {} });
    const question = await client.receive();

    expect(textOf(visited)).toBe("false unsupported");
    expect(question.params).toEqual({
      message: "View?",
      requestedSchema: {
        type: "object",
        properties: { value: { type: "string", title: "View?", enum: ["s"], enumNames: ["Sea"] } },
        required: ["value"],
      },
    });
  });
});

it(
  verifies("C3", "a client that declares url elicitation is believed on a server of the SDK too"),
  async () => {
    const server = new McpServer({ name: "host", version: "1" });
    mountTools(server, [visit], { maxRevision: OLDER });
    const client = await connectInMemory(server, { answer: () => ({ action: "accept" }) });

    expect((await client.call("visit")).text).toBe("true accept");
  },
);
