/** Fields of a form that a person leaves as they are. Claude Code and the Inspector send of them what has a default, and nothing else. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { connectV1 } from "../../../test/clients/connect.ts";
import type { SdkV1Client } from "../../../test/clients/sdk-v1-client.ts";
import { listening } from "./wire/servers.ts";
import { overWebSocket } from "../../../test/clients/carriers.ts";
import { callOf } from "../../../test/clients/raw-client.ts";

/** The SDK client fills in defaults, and refuses to send content without a field that the form requires. */
const FILLS_IN = { elicitation: { form: { applyDefaults: true }, url: {} } };

const tellsAnswer = (question: () => Iterable<unknown>) =>
  tool({
    name: "it",
    async *run() {
      // The question's own iterator: what it gives is what was answered.
      return JSON.stringify({ answer: yield* question() as Iterable<never> });
    },
  });

/** A person who presses "send" without touching anything. */
async function sendingUntouched(question: () => Iterable<unknown>): ReturnType<SdkV1Client["call"]> {
  const { url } = await listening({ tools: [tellsAnswer(question)] });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  const client = await connectV1(
    { transport },
    { answer: () => ({ action: "accept", content: {} }), capabilities: FILLS_IN },
  );
  return client.call("it");
}

describe("a form that is sent untouched", () => {
  it(verifies(["B1", "C8"], "says no to a yes or no"), async () => {
    const { text } = await sendingUntouched(() => ask.confirm("Delete it?"));

    expect(JSON.parse(text)).toEqual({ answer: false });
  });

  it(verifies("B1", "says no to what is dangerous, whatever the author suggests"), async () => {
    const { text } = await sendingUntouched(() =>
      ask.confirm("Delete it?", { dangerous: true, default: true }),
    );

    expect(JSON.parse(text)).toEqual({ answer: false });
  });

  it(verifies("A3", "says yes where the author suggests it and it is not dangerous"), async () => {
    const { text } = await sendingUntouched(() => ask.confirm("Send news?", { default: true }));

    expect(JSON.parse(text)).toEqual({ answer: true });
  });

  it(verifies(["B1", "C8"], "chooses none of a list without a minimum"), async () => {
    const { text } = await sendingUntouched(() => ask.multiselect("Extras?", ["wifi", "tea"]));

    expect(JSON.parse(text)).toEqual({ answer: [] });
  });

  it(verifies("B1", "is no answer where at least one is wanted"), async () => {
    const sent = await sendingUntouched(() => ask.multiselect("Extras?", ["wifi", "tea"], { min: 1 }));

    expect(sent.isError).toBe(true);
  });

  it(
    verifies(["B1", "C8"], "has a no and an empty list for its fields, and nothing for what is optional"),
    async () => {
      const { text } = await sendingUntouched(() =>
        ask.form("Book", {
          news: ask.confirm("News?"),
          extras: ask.multiselect("Extras?", ["wifi", "tea"], { min: 0 }),
          loud: ask.optional(ask.confirm("Loud?")),
          more: ask.optional(ask.multiselect("More?", ["a", "b"])),
        }),
      );

      expect(JSON.parse(text)).toEqual({ answer: { news: false, extras: [] } });
    },
  );
});

it(verifies("B1", "a yes or no that does not come back at all is no answer"), async () => {
  const { url } = await listening({ tools: [tellsAnswer(() => ask.confirm("Delete it?"))] });
  const client = await overWebSocket(url);
  await client.initialize();
  const call = client.begin("tools/call", callOf("it"));

  await client.reply(await client.receive(), { action: "accept", content: {} });

  expect((await client.answerTo(call)).result?.["isError"]).toBe(true);
});
