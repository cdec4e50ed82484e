/** A call that brings answers before it was asked anything. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless } from "../wire/servers.ts";
import {
  type Exchange,
  type StatelessClient,
  accepted,
  callOf,
  codeIn,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { greet, Witness, witnessed } from "../wire/tools.ts";

const callWith = (client: StatelessClient, name: string, inputResponses: unknown): Promise<Exchange> =>
  client.request("tools/call", { ...callOf(name), inputResponses });

describe("answers without a state", () => {
  it(verifies("C6", "start the call, and answer its first round"), async () => {
    const { client } = await serveStateless({ tools: [greet] });

    const done = await callWith(client, "greet", accepted({ "ask-1": "Ada", more: "ignored" }));

    expect(textOf(done.answer)).toBe("Hello, Ada");
  });

  it(verifies("C6", "answer the first round only, also where a later one has the same keys"), async () => {
    const twice = tool({
      name: "twice",
      async *run() {
        return `${yield* ask.text("One?")} ${yield* ask.text("Two?")}`;
      },
    });
    const { client } = await serveStateless({ tools: [twice] });

    const asked = await callWith(client, "twice", accepted({ "ask-1": "a", "ask-2": "b" }));
    const done = await client.accept(asked, { "ask-2": "c" });

    expect(Object.keys(questionsIn(asked))).toEqual(["ask-2"]);
    expect(textOf(done.answer)).toBe("a c");
  });

  it(verifies("C6", "of other keys are asked for, and not an error"), async () => {
    const { client } = await serveStateless({ tools: [greet] });

    const asked = await callWith(client, "greet", accepted({ user_name: "Ada" }));

    expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
  });

  it("of some of its questions leave the others to be asked, and are kept", async () => {
    const two = tool({
      name: "two",
      async *run() {
        const { a, b } = yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
        return a + b;
      },
    });
    const { client } = await serveStateless({ tools: [two] });

    const asked = await callWith(client, "two", accepted({ b: "2" }));
    const done = await client.accept(asked, { a: "1" });

    expect(Object.keys(questionsIn(asked))).toEqual(["a"]);
    expect(textOf(done.answer)).toBe("12");
  });

  it(verifies("B1", "never answer a dangerous question: that one is asked"), async () => {
    const wipe = tool({
      name: "wipe",
      async *run() {
        const { sure, why } = yield* ask.all({
          sure: ask.confirm("Wipe it?", { dangerous: true }),
          why: ask.text("Why?"),
        });
        return `${sure} ${why}`;
      },
    });
    const { client } = await serveStateless({ tools: [wipe] });

    const asked = await callWith(client, "wipe", accepted({ sure: true, why: "old" }));
    const done = await client.accept(asked, { sure: true });

    expect(Object.keys(questionsIn(asked))).toEqual(["sure"]);
    expect(textOf(done.answer)).toBe("true old");
  });

  it.each([null, [], 7, { "ask-1": 12345 }, { "ask-1": null }])(
    verifies("C5", "that are none are -32602, and nothing is left of the call: %j"),
    async (inputResponses) => {
      const witness = new Witness();
      const { client, server } = await serveStateless({ tools: [witnessed(witness)] });

      const refused = await callWith(client, "witnessed", inputResponses);

      expect(codeIn(refused)).toBe(-32602);
      expect(server.parked).toBe(0);
      expect(witness.ended).toHaveLength(witness.begun);
    },
  );

  it("of somebody who has declined are that", async () => {
    const { client } = await serveStateless({ tools: [greet] });

    const done = await callWith(client, "greet", { "ask-1": { action: "decline" } });

    expect(textOf(done.answer)).toContain("declined");
  });
});
