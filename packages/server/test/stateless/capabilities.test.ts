/** The server sends a client only the questions that it has declared support for. */
import { ask, emit, roots, sample, tool, type Capability, type Body, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { accepted, codeIn, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";

const required = (answer: { readonly error?: { readonly data?: unknown } }): unknown =>
  (answer.error?.data as Fields | undefined)?.["requiredCapabilities"];

describe("what a tool needs", () => {
  let begun = 0;
  const needing = (...needs: readonly Capability[]): Tool<never> =>
    tool({
      name: "needing",
      needs,
      async *run() {
        begun += 1;
        yield emit.status("Here");
        return "done";
      },
    });

  it.each<[readonly Capability[], Fields, Fields]>([
    [["form"], {}, { elicitation: {} }],
    [["form"], { elicitation: { url: {} } }, { elicitation: {} }],
    [["url"], { elicitation: {} }, { elicitation: { url: {} } }],
    [["url"], { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    [["form", "url"], {}, { elicitation: { form: {}, url: {} } }],
    [["sample"], { elicitation: {} }, { sampling: {} }],
    [["roots"], {}, { roots: {} }],
    [["form", "url", "sample", "roots"], { roots: {} }, { elicitation: { form: {}, url: {} }, sampling: {} }],
  ])(
    verifies(["C5", "B4"], "(%j) is -32021 and 400 before the body starts, where the client has %j"),
    async (needs, can, missing) => {
      begun = 0;
      const { client } = await serveStateless({ tools: [needing(...needs)] });

      const received = await client.call("needing", {}, { can, meta: { progressToken: 1 } });

      expect({ code: codeIn(received), status: received.status }).toEqual({ code: -32021, status: 400 });
      expect(received.answer.error?.data).toEqual({ requiredCapabilities: missing });
      expect(begun).toBe(0);
    },
  );

  it.each<[readonly Capability[], Fields]>([
    [["form"], { elicitation: {} }],
    [["form"], { elicitation: { form: {} } }],
    [["url"], { elicitation: { url: {} } }],
    [["sample", "roots"], { sampling: {}, roots: {} }],
  ])("(%j) is there, where the client has %j", async (needs, can) => {
    const { client } = await serveStateless({ tools: [needing(...needs)] });

    expect(textOf((await client.call("needing", {}, { can })).answer)).toBe("done");
  });
});

describe.each(Object.entries(statelessTransports))(
  "a question that the client cannot be asked, over %s",
  (_, set) => {
    const uncaught: readonly (readonly [string, Tool<never>, Fields])[] = [
      [
        "a form",
        tool({
          name: "it",
          async *run() {
            return yield* ask.text("Name?");
          },
        }),
        { elicitation: {} },
      ],
      [
        "a web address",
        tool({
          name: "it",
          async *run() {
            yield* ask.url("Sign in", "https://example.com/sign-in");
          },
        }),
        { elicitation: { url: {} } },
      ],
      [
        "a sample",
        tool({
          name: "it",
          async *run() {
            return (yield* sample("Hello?")).model;
          },
        }),
        { sampling: {} },
      ],
      [
        "roots",
        tool({
          name: "it",
          async *run() {
            return (yield* roots()).length;
          },
        }),
        { roots: {} },
      ],
    ];

    it.each(uncaught)(
      verifies(["C5", "B4"], "is -32021 where the body does not catch it, with what is missing: %s"),
      async (__, it_, missing) => {
        const client = await (await set({ tools: [it_] })).connect({});

        const received = await client.call("it");

        expect(codeIn(received)).toBe(-32021);
        expect(required(received.answer)).toEqual(missing);
        expect(received.status ?? 400).toBe(400);
      },
    );

    it(
      verifies(["B4", "C6"], "does not end a call that catches it, has a fallback, or takes an outcome"),
      async () => {
        const soft = tool({
          name: "soft",
          async *run() {
            const caught = yield* asked();
            const fallen = yield* ask.number("How many?", { fallback: { unsupported: 7 } });
            const { action } = yield* ask.outcome(ask.confirm("Sure?"));
            return `${caught} ${fallen} ${action}`;

            async function* asked(): Body<string> {
              try {
                return yield* ask.text("Name?");
              } catch (error) {
                return (error as { readonly code: string }).code;
              }
            }
          },
        });
        const client = await (await set({ tools: [soft] })).connect({ sampling: {} });

        expect(textOf((await client.call("soft")).answer)).toBe("ASK_UNSUPPORTED 7 unsupported");
      },
    );

    it(
      verifies("C5", "is not in a round with others that it can: those are asked, where there is a fallback"),
      async () => {
        const mixed = tool({
          name: "mixed",
          async *run() {
            const { name, where } = yield* ask.all({
              name: ask.text("Name?", { fallback: { unsupported: "stranger" } }),
              where: roots(),
            });
            return `${name} at ${where.length}`;
          },
        });
        const client = await (await set({ tools: [mixed] })).connect({ roots: {} });

        const asked = await client.call("mixed");
        const done = await client.retry(asked, { where: { roots: [] } });

        expect(Object.keys(questionsIn(asked))).toEqual(["where"]);
        expect(textOf(done.answer)).toBe("stranger at 0");
      },
    );
  },
);

describe("what the client can do", () => {
  it(
    verifies("C5", "is what it declared with the request that is answered, not with one before"),
    async () => {
      const twice = tool({
        name: "twice",
        async *run() {
          return `${yield* ask.text("One?")} ${yield* ask.text("Two?")}`;
        },
      });
      const { client } = await serveStateless({ tools: [twice] });
      const one = await client.call("twice");

      const refused = await client.retry(one, accepted({ "ask-1": "a" }), { can: {} });

      expect(codeIn(refused)).toBe(-32021);
      expect(refused.status).toBe(400);
    },
  );

  it("does not change for the body", async () => {
    const seeing = tool({
      name: "seeing",
      async *run(_, { client }) {
        const before = client.can.roots;
        yield* ask.text("Name?");
        return `${before} ${client.can.roots}`;
      },
    });
    const { client } = await serveStateless({ tools: [seeing] });

    const asked = await client.call("seeing", {}, { can: { elicitation: {} } });
    const done = await client.accept(asked, { "ask-1": "a" }, { can: { elicitation: {}, roots: {} } });

    expect(textOf(done.answer)).toBe("false false");
  });

  it.each([
    ["a secret", ask.secret("Password?")],
    ["a file", ask.file("Photo?")],
  ] as const)(
    verifies("B6", "is not asked for %s in a form: without url elicitation, that is what is missing"),
    async (_, question) => {
      const asking = tool({
        name: "asking",
        async *run() {
          yield question;
          return "done";
        },
      });
      const { client } = await serveStateless({ tools: [asking] });

      const received = await client.call("asking", {}, { can: { elicitation: {} } });

      expect(received.answer.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
    },
  );
});

describe("-32021", () => {
  it(verifies("C5", "is in the stream, where something was told before"), async () => {
    const telling = tool({
      name: "telling",
      async *run() {
        yield emit.status("Here");
        return yield* ask.text("Name?");
      },
    });
    const { client } = await serveStateless({ tools: [telling] }, {});

    const streamed = await client.call("telling", {}, { meta: { progressToken: 1 } });
    const plain = await client.call("telling");

    expect(streamed.status).toBe(200);
    expect(streamed.headers?.["content-type"]).toBe("text/event-stream");
    expect(streamed.told.map(({ params }) => params?.["message"])).toEqual(["Here"]);
    expect(codeIn(streamed)).toBe(-32021);
    expect({ status: plain.status, code: codeIn(plain) }).toEqual({ status: 400, code: -32021 });
  });
});
