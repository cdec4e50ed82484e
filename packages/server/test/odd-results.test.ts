import { prompt, resource } from "@photon/core";
import { describe, expect, it } from "vitest";
import { transports } from "./wire/servers.ts";
import type { Fields, Message } from "../../../test/clients/messages.ts";

/** A server whose author does not keep to the types. */
async function serving(given: unknown): Promise<{
  readonly request: (method: string, params: Fields) => Promise<Message>;
  readonly reported: string[];
}> {
  const reported: string[] = [];
  const letter = prompt({
    name: "letter",
    arguments: { to: { complete: () => given as string[] } },
    async *run() {
      return given as string;
    },
  });
  const page = resource({
    uri: "page://{number}",
    complete: { number: async () => given as string[] },
    async *run() {
      return given as string;
    },
  });
  const { connect } = await transports.websocket({
    prompts: [letter],
    resources: [page],
    report: (error) => reported.push(String(error)),
  });
  const client = await connect();
  await client.initialize();
  return { request: (method, params) => client.request(method, params), reported };
}

/** What the client is told: that something went wrong, and nothing of the inside. */
const hidden = {
  error: { code: -32603, message: "Something went wrong in the server; its log says what." },
};

describe("what an author returns that is not what they said", () => {
  it.each([
    ["a number", 5],
    ["nothing", undefined],
    ["an object", { values: ["a"] }],
    ["a text", "abc"],
    ["a list of numbers", [1, 2]],
  ])("is reported, and not sent, where a completer gives %s", async (_, given) => {
    const { request, reported } = await serving(given);
    const complete = (ref: Fields, name: string): Promise<Message> =>
      request("completion/complete", { ref, argument: { name, value: "" } });

    expect(await complete({ type: "ref/prompt", name: "letter" }, "to")).toMatchObject(hidden);
    expect(await complete({ type: "ref/resource", uri: "page://{number}" }, "number")).toMatchObject(hidden);

    expect(reported).toEqual([
      "InvalidOutput: The completer of to returned a value that is not a list of texts.",
      "InvalidOutput: The completer of number returned a value that is not a list of texts.",
    ]);
  });

  it.each([
    ["nothing", undefined],
    ["an empty object", {}],
    ["a number", 5],
    ["a block that is none", { type: "text", text: 5 }],
    ["a role that is none", { role: "system", content: { type: "text", text: "Hi" } }],
    ["a message without content", { role: "user" }],
    ["a list with something else in it", ["Hello", null]],
  ])("is reported, and not sent, where a prompt gives %s", async (_, given) => {
    const { request, reported } = await serving(given);

    expect(await request("prompts/get", { name: "letter" })).toMatchObject(hidden);

    expect(reported).toEqual([
      "InvalidOutput: The prompt letter returned a value that is not a message; " +
        "return a text, a block of content, or { role, content }.",
    ]);
  });

  it.each([
    ["nothing", undefined],
    ["an empty object", {}],
    ["a text that is none", { text: 5 }],
    ["a type that is none", { text: "Hi", mimeType: 5 }],
    ["a list", ["Hi"]],
  ])("is reported, and not sent, where a resource gives %s", async (_, given) => {
    const { request, reported } = await serving(given);

    expect(await request("resources/read", { uri: "page://1" })).toMatchObject(hidden);

    expect(reported).toEqual([
      "InvalidOutput: The resource at page://1 returned a value that is not a resource; " +
        "return text, bytes, { text, mimeType } or { data, mimeType }.",
    ]);
  });

  it("is sent where it can be told what was meant", async () => {
    const blocks = [
      "Hello",
      { type: "resource_link", uri: "page://1", name: "one" },
      { role: "assistant", content: { type: "text", text: "Hi" } },
    ];
    const { request } = await serving(blocks);

    const { result } = await request("prompts/get", { name: "letter" });

    expect(result?.["messages"]).toEqual([
      { role: "user", content: { type: "text", text: "Hello" } },
      { role: "user", content: { type: "resource_link", uri: "page://1", name: "one" } },
      { role: "assistant", content: { type: "text", text: "Hi" } },
    ]);
  });
});
