/** A call that asks ends its request with the questions; a retry with the answers continues it (ARCHITECTURE.md §3). */
import { ask, prompt, resource, roots, sample, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import {
  type Exchange,
  accepted,
  codeIn,
  questionsIn,
  stateIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { greet } from "../wire/tools.ts";

/** Asks for everything there is, in one round. */
const everything = tool({
  name: "everything",
  async *run() {
    const { name, idea, where } = yield* ask.all({
      name: ask.text("Name?"),
      idea: sample("An idea, please.", { maxTokens: 10 }),
      where: roots(),
    });
    const { content } = idea;
    const text = "text" in content ? content.text : "";
    return `${name}: ${text} in ${where.map(({ uri }) => uri).join()}`;
  },
});

const all: Fields = {
  name: { action: "accept", content: { value: "Ada" } },
  idea: { role: "assistant", model: "m", content: { type: "text", text: "sing" } },
  where: { roots: [{ uri: "file:///home", name: "home" }] },
};

describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
  it(
    verifies(["C5", "C6"], "a round has one entry for each question, under its key, of every kind at once"),
    async () => {
      const stage = await set({ tools: [everything] });
      const client = await stage.connect();

      const asked = await client.call("everything");
      const done = await client.retry(asked, all);

      expect(questionsIn(asked)).toEqual({
        name: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Name?",
            requestedSchema: {
              type: "object",
              properties: { value: { type: "string", title: "Name?" } },
              required: ["value"],
            },
          },
        },
        idea: {
          method: "sampling/createMessage",
          params: {
            messages: [{ role: "user", content: { type: "text", text: "An idea, please." } }],
            maxTokens: 10,
          },
        },
        where: { method: "roots/list" },
      });
      expect(textOf(done.answer)).toBe("Ada: sing in file:///home");
      expect(stage.server.parked).toBe(0);
    },
  );

  it(verifies("C6", "ten questions are ten requests, and a straight line in the tool"), async () => {
    const client = await (
      await set({
        tools: [
          tool({
            name: "ten",
            async *run() {
              let sum = 0;
              for (let at = 1; at <= 10; at++) sum += yield* ask.number(`Number ${at}?`);
              return `${sum}`;
            },
          }),
        ],
        report() {},
      })
    ).connect();

    let received = await client.call("ten");
    const states = new Set<string>();
    for (let at = 1; at <= 10; at++) {
      expect(Object.keys(questionsIn(received))).toEqual([`ask-${at}`]);
      states.add(stateIn(received));
      received = await client.accept(received, { [`ask-${at}`]: at });
    }

    expect(textOf(received.answer)).toBe("55");
    expect(states.size).toBe(10);
  });

  it("many clients are asked at once, each of its own", async () => {
    const stage = await set({ tools: [greet] });
    const clients = await Promise.all(Array.from({ length: 5 }, () => stage.connect()));

    const asked = await Promise.all(clients.map((client) => client.call("greet")));
    expect(stage.server.parked).toBe(5);
    const others = asked.toReversed();
    const done = await Promise.all(
      clients.map((client, at) => client.accept(others[at] as Exchange, { "ask-1": `${at}` })),
    );

    expect(done.map(({ answer }) => textOf(answer))).toEqual([0, 1, 2, 3, 4].map((at) => `Hello, ${at}`));
    expect(stage.server.parked).toBe(0);
  });
});

describe("a prompt and a resource", () => {
  it(verifies(["A9", "C6"], "may ask as well, in several rounds"), async () => {
    const letter = prompt({
      name: "letter",
      arguments: { to: { required: true } },
      async *run({ to }) {
        return `Write to ${to} about ${yield* ask.text("About what?")}, ${yield* ask.text("How?")}`;
      },
    });
    const page = resource({
      uri: "page://{number}",
      async *run({ number }) {
        return `${number}: ${yield* ask.text("What is on it?", { id: "what" })}`;
      },
    });
    const { client } = await serveStateless({ prompts: [letter], resources: [page] });

    const about = await client.request("prompts/get", { name: "letter", arguments: { to: "Bob" } });
    const how = await client.accept(about, { "ask-1": "tea" });
    const written = await client.accept(how, { "ask-2": "kindly" });
    const what = await client.request("resources/read", { uri: "page://7" });
    const read = await client.accept(what, { what: "a map" });

    expect(written.answer.result?.["messages"]).toEqual([
      { role: "user", content: { type: "text", text: "Write to Bob about tea, kindly" } },
    ]);
    expect(read.answer.result?.["contents"]).toEqual([{ uri: "page://7", text: "7: a map" }]);
  });

  it("have no result that says what went wrong: it is an error", async () => {
    const letter = prompt({
      name: "letter",
      async *run() {
        return yield* ask.text("About what?");
      },
    });
    const { client } = await serveStateless({ prompts: [letter] });

    const asked = await client.request("prompts/get", { name: "letter" });
    const declined = await client.retry(asked, { "ask-1": { action: "decline" } });

    expect(declined.answer.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('The person declined to answer "About what?" (ask-1).'),
    });
  });
});

describe("a request that asks", () => {
  it(verifies("C5", "may be a call, a prompt or a resource, and no other"), async () => {
    const { client } = await serveStateless({ tools: [greet] });

    for (const method of ["tools/list", "server/discover", "resources/list"]) {
      const { answer } = await client.request(method, {
        inputResponses: accepted({ "ask-1": "Ada" }),
        requestState: "whatever",
      });
      expect(answer.result?.["resultType"]).toBe("complete");
    }
  });

  it("asks a thousand questions in one round, and takes a thousand answers", async () => {
    const ids = Array.from({ length: 1000 }, (__, at) => `q${at}`);
    const many = tool({
      name: "many",
      async *run() {
        const answers = yield* ask.all(Object.fromEntries(ids.map((id) => [id, ask.number(`${id}?`)])));
        return `${Object.values(answers).reduce((sum, one) => sum + one, 0)}`;
      },
    });
    const { client } = await serveStateless({ tools: [many] });

    const asked = await client.call("many");
    const half = await client.accept(asked, Object.fromEntries(ids.slice(500).map((id) => [id, 1])));
    const done = await client.accept(half, Object.fromEntries(ids.slice(0, 500).map((id) => [id, 2])));

    expect(Object.keys(questionsIn(asked))).toHaveLength(1000);
    expect(Object.keys(questionsIn(half))).toEqual(ids.slice(0, 500));
    expect(textOf(done.answer)).toBe("1500");
  });

  it("keeps its keys where ids are those of things that every object has", async () => {
    const odd = tool({
      name: "odd",
      async *run() {
        const answers = yield* ask.all({ constructor: ask.text("One?"), toString: ask.text("Two?") });
        return `${answers.constructor} ${answers.toString}`;
      },
    });
    const { client } = await serveStateless({ tools: [odd] });

    const asked = await client.call("odd");
    const half = await client.retry(asked, accepted({ toString: "b" }));
    const done = await client.retry(half, accepted({ constructor: "a" }));

    expect(codeIn(half)).toBeUndefined();
    expect(Object.keys(questionsIn(half))).toEqual(["constructor"]);
    expect(textOf(done.answer)).toBe("a b");
  });
});
