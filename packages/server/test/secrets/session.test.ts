/** Secrets and files on a session: a URL elicitation leads to a page, and the page takes the answer. */
import { existsSync } from "node:fs";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { AnswerHandler } from "../../../../test/clients/answers.ts";
import { connectV1 } from "../../../../test/clients/connect.ts";
import { httpV1 } from "../../../../test/clients/connections.ts";
import type { SdkV1Client } from "../../../../test/clients/sdk-v1-client.ts";
import { Visitor } from "../pages/visitor.ts";
import { listening, transports } from "../wire/servers.ts";
import { overWebSocket } from "../../../../test/clients/carriers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { type RawClient, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Witness } from "../wire/tools.ts";
import { answerPage, declinePage, statusAt, uploadTo } from "./person.ts";
import { cautious, login, upload } from "./tools.ts";

const MINUTE = 60_000;
const urlOf = ({ params }: Message): string => String(params?.["url"]);
/** Where an SDK client is told to send its person. */
const linkIn = (params: object): string => ("url" in params ? String(params.url) : "");

/** A client of the SDK, and a server with tools. */
async function connectTo(
  tools: readonly (typeof login | typeof upload)[],
  answer: AnswerHandler,
): Promise<SdkV1Client> {
  const { url } = await listening({ tools });
  return connectV1(httpV1(url), { answer });
}

/** A session of 2025-11-25 in which a tool was called and has asked. */
async function asked(
  client: RawClient,
  name: string,
  can?: Fields,
): Promise<{ readonly call: number; readonly question: Message; readonly url: string }> {
  await client.initialize("2025-11-25", can);
  const call = client.begin("tools/call", callOf(name));
  const question = await client.receive();
  return { call, question, url: urlOf(question) };
}

describe("an SDK client that shows a link", () => {
  it(
    verifies(["A3", "B6", "C4"], "has its person answer a secret on the page, and never sees it"),
    async () => {
      const client = await connectTo([login], async ({ params }) => {
        await answerPage(linkIn(params), "hunter2hunter2");
        return { action: "accept" };
      });

      const { text } = await client.call("login");

      expect(text).toBe("true 14 [secret]");
      expect(client.questions).toEqual([
        expect.objectContaining({ mode: "url", message: "Password?", url: expect.stringContaining("/ask/") }),
      ]);
      expect(JSON.stringify(client.received.all)).not.toContain("hunter2");
      expect(client.receivedOf("notifications/elicitation/complete")).toEqual([
        { elicitationId: client.questions[0]?.["elicitationId"] },
      ]);
    },
  );

  it(
    verifies(["A3", "B6"], "has its person upload a file, which is gone when the run has ended"),
    async () => {
      const client = await connectTo([upload], async ({ params }) => {
        await uploadTo(linkIn(params), "me.txt", "a face");
        return { action: "accept" };
      });

      const { text } = await client.call("upload");

      const { name, path, text: read } = JSON.parse(text) as Record<string, string>;
      expect({ name, read }).toEqual({ name: "me.txt", read: "a face" });
      await expect.poll(() => existsSync(path ?? "")).toBe(false);
    },
  );

  it("says no for its person: the question is declined", async () => {
    const client = await connectTo([login], () => ({ action: "decline" }));

    const { text, isError } = await client.call("login");

    expect(isError).toBe(true);
    expect(text).toContain("declined");
    expect(client.receivedOf("notifications/elicitation/complete")).toEqual([]);
  });
});

describe.each(Object.entries(transports))("a secret over %s", (_, set) => {
  it(
    verifies(["B6", "C1"], "is answered on the page, once its client has said that somebody will"),
    async () => {
      const client = await (await set({ tools: [login] })).connect();
      const { call, question, url } = await asked(client, "login");

      await client.reply(question, { action: "accept" });
      await answerPage(url, "correct horse");
      const done = await client.receive("notifications/elicitation/complete");

      expect(textOf(await client.answerTo(call))).toBe("true 13 [secret]");
      expect(done.params).toEqual({ elicitationId: question.params?.["elicitationId"] });
    },
  );
});

describe("a page of a session", () => {
  it(
    verifies("B6", "is answered before the client has said anything: its question is taken back"),
    async () => {
      const { url: server } = await listening({ tools: [login] });
      const client = await overWebSocket(server);
      const { call, question, url } = await asked(client, "login");

      await answerPage(url, "correct horse");
      const taken = await client.receive("notifications/cancelled");

      expect(textOf(await client.answerTo(call))).toBe("true 13 [secret]");
      expect(taken.params?.["requestId"]).toBe(question.id);
    },
  );

  it(verifies("B1", "is declined by the person who has opened it"), async () => {
    const { url: server } = await listening({ tools: [login] });
    const client = await overWebSocket(server);
    const { call, question, url } = await asked(client, "login");

    await client.reply(question, { action: "accept" });
    await declinePage(url);
    const answer = await client.answerTo(call);

    expect(answer.result?.["isError"]).toBe(true);
    expect(textOf(answer)).toContain("declined");
  });

  it("shows again what does not fit, and the retries of the question are untouched", async () => {
    const long = tool({
      name: "long",
      async *run() {
        return `${(yield* ask.secret("Password?", { minLength: 8 })).reveal().length}`;
      },
    });
    const { url: server } = await listening({ tools: [long] });
    const client = await overWebSocket(server);
    const { call, question, url } = await asked(client, "long");
    await client.reply(question, { action: "accept" });
    const visitor = new Visitor();
    await visitor.open(url);

    const unfit = await visitor.answer(url, { f0: "short" });
    await visitor.answer(url, { f0: "long enough" });

    expect(unfit.status).toBe(422);
    expect(textOf(await client.answerTo(call))).toBe("11");
    expect(
      client.messages.all.filter((one) => (one as Message).method === "elicitation/create"),
    ).toHaveLength(1);
  });

  it.each([["before"], ["after"]])(
    verifies("B2", "is answered by nobody in time, %s the client has said that somebody will"),
    async (when) => {
      const clock = countingClock();
      const { url: server } = await listening({ tools: [login], clock });
      const client = await overWebSocket(server);
      const { call, question, url } = await asked(client, "login");
      if (when === "after") await client.reply(question, { action: "accept" });
      await client.request("ping");

      clock.leap(5 * MINUTE);

      expect(textOf(await client.answerTo(call))).toBe('No answer to "Password?" (ask-1) arrived in time.');
      expect(await statusAt(url)).toBe(410);
    },
  );

  it.each([["before"], ["after"]])(
    verifies("B8", "is gone when the call is cancelled, %s consent"),
    async (when) => {
      const witness = new Witness();
      const { url: server } = await listening({ tools: [cautious(witness)] });
      const client = await overWebSocket(server);
      const { call, question, url } = await asked(client, "cautious");
      if (when === "after") await client.reply(question, { action: "accept" });
      await client.request("ping");
      expect(await statusAt(url)).toBe(200);

      await client.notify("notifications/cancelled", { requestId: call });

      await witness.afterEnd();
      await expect.poll(() => statusAt(url)).toBe(410);
    },
  );

  it("is gone when its client has declined, also where the tool goes on", async () => {
    const witness = new Witness();
    const then = cautious(witness, () => ask.text("Name?") as never);
    const { url: server } = await listening({ tools: [then] });
    const client = await overWebSocket(server);
    const { question, url } = await asked(client, "cautious");

    await client.reply(question, { action: "decline" });
    await client.receive();

    expect(await statusAt(url)).toBe(410);
  });
});

describe("a client without url elicitation", () => {
  it.each<[string, string, Fields]>([
    ["2025-11-25", "login", { elicitation: {} }],
    ["2025-11-25", "upload", { elicitation: { form: {} } }],
    ["2025-11-25", "login", {}],
    ["2025-06-18", "login", { elicitation: {} }],
    ["2024-11-05", "upload", {}],
  ])(
    verifies(["B4", "B6"], "(%s) is not asked: %s is an error that says what was needed"),
    async (revision, name, can) => {
      const { url } = await listening({ tools: [login, upload] });
      const client = await overWebSocket(url);
      await client.initialize(revision, can);

      const answer = await client.callTool(name);

      expect(answer.result?.["isError"]).toBe(true);
      expect(textOf(answer)).toContain("cannot be asked");
      expect(client.messages.all.filter((one) => (one as Message).method === "elicitation/create")).toEqual(
        [],
      );
    },
  );
});
