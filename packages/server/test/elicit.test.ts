import type { Tool } from "@photon/core";
import { acceptEmpty, cancel, decline, sequence, never, script, unsupported } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { createServer, elicitPack } from "../src/index.ts";
import { acceptValue } from "../../../test/clients/answers.ts";
import { connectInMemory } from "../../../test/clients/connect.ts";

/** A tool of the pack. */
function toolOf(name: string): Tool<never> {
  const tool = elicitPack().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** What a model is told when it asks this, and the person answers like that. */
async function elicit(name: string, input: object, ...answers: readonly unknown[]): Promise<unknown> {
  const said = sequence(...answers);
  return script(() => said, { hurry: true }).run(toolOf(name), input);
}

const room = { message: "Which room?", options: ["single", { value: "double", title: "Double room" }] };

describe("the elicit pack", () => {
  it(
    verifies("A12", "lists its four tools with input and output schemas to a client of the SDK"),
    async () => {
      const { sdk } = await connectInMemory(createServer({ tools: elicitPack() }));
      const { tools } = await sdk.listTools();

      expect(tools.map(({ name }) => name).toSorted()).toEqual([
        "elicit_choice",
        "elicit_confirm",
        "elicit_form",
        "elicit_input",
      ]);
      for (const { inputSchema, outputSchema } of tools) {
        expect(inputSchema.required).toContain("message");
        expect(outputSchema?.required).toEqual(["action"]);
      }
    },
  );

  it(verifies("A12", "lets a model ask the person at a client, and gives the answer as data"), async () => {
    const client = await connectInMemory(createServer({ tools: elicitPack() }), {
      answer: acceptValue("double"),
    });
    // The client checks what it is given against the output schema, once it knows that.
    await client.sdk.listTools();

    const { structuredContent } = await client.sdk.callTool({ name: "elicit_choice", arguments: room });

    expect(structuredContent).toEqual({ action: "accept", value: "double" });
    expect(client.questions).toMatchObject([
      {
        message: "Which room?",
        requestedSchema: {
          properties: {
            value: {
              oneOf: [
                { const: "single", title: "single" },
                { const: "double", title: "Double room" },
              ],
            },
          },
        },
      },
    ]);
  });

  it("tells a model that its client cannot ask, also where that is nobody's error", async () => {
    const client = await connectInMemory(createServer({ tools: elicitPack() }), { capabilities: {} });

    expect((await client.call("elicit_confirm", { message: "Go on?" })).structured).toEqual({
      action: "unsupported",
    });
  });

  it.each([
    ["elicit_choice", room],
    ["elicit_input", { message: "Who are you?" }],
    ["elicit_confirm", { message: "Go on?" }],
    ["elicit_form", { message: "You?", fields: { name: { kind: "text" } } }],
  ])(verifies(["A12", "B1"], "of %s makes no answer of what is none"), async (name, input) => {
    expect(await elicit(name, input, decline())).toEqual({ action: "decline" });
    expect(await elicit(name, input, cancel())).toEqual({ action: "cancel" });
    expect(await elicit(name, input, never())).toEqual({ action: "timeout" });
    expect(await elicit(name, input, unsupported())).toEqual({ action: "unsupported" });
    expect(await elicit(name, input, acceptEmpty())).toEqual({ action: "invalid" });
  });

  it("keeps a question open for as long as it is told to", async () => {
    const [choice] = elicitPack({ timeout: "1m" });
    const host = script([never()]);

    const running = host.run(choice as Tool<never>, room);
    await host.asked;
    await host.advance("1m");

    expect(await running).toEqual({ action: "timeout" });
  });
});

describe("elicit_choice", () => {
  it("gives a list where several may be chosen", async () => {
    const input = { ...room, multiple: true, min: 1, max: 2 };

    expect(await elicit("elicit_choice", input, ["single", "double"])).toEqual({
      action: "accept",
      value: ["single", "double"],
    });
    expect(await elicit("elicit_choice", input, [], ["single"])).toMatchObject({ value: ["single"] });
  });

  it("takes nothing that was not offered", async () => {
    expect(await elicit("elicit_choice", room, "suite")).toEqual({ action: "invalid" });
  });
});

describe("elicit_input", () => {
  it.each([
    ["text", "Ada"],
    ["email", "ada@example.com"],
    ["uri", "https://example.com/"],
    ["number", 1.5],
    ["integer", 3],
    ["date", "2026-07-28"],
    ["date-time", "2026-07-28T12:00:00Z"],
  ])("asks for a value of kind %s", async (kind, value) => {
    expect(await elicit("elicit_input", { message: "Well?", kind }, value)).toEqual({
      action: "accept",
      value,
    });
  });

  it("asks again for what does not fit, and says why", async () => {
    const host = script({ "How many nights?": sequence("many", 3) });
    const input = { message: "How many nights?", kind: "integer", min: 1, max: 30 };

    expect(await host.run(toolOf("elicit_input"), input)).toEqual({ action: "accept", value: 3 });
    expect(host.transcript).toContainEqual(
      expect.objectContaining({ attempt: 2, hint: "must be a whole number" }),
    );
  });

  it("takes no longer text than anybody reads, whatever the model says", async () => {
    const input = { message: "Well?", max: 1_000_000 };

    expect(await elicit("elicit_input", input, "x".repeat(10_000))).toMatchObject({ action: "accept" });
    expect(await elicit("elicit_input", input, "x".repeat(10_001))).toEqual({ action: "invalid" });
  });

  it("says what is wrong with a question that nobody could answer", async () => {
    const input = { message: "How many?", kind: "number", min: 5, max: 1 };

    await expect(elicit("elicit_input", input)).rejects.toThrow("How many?");
    await expect(elicit("elicit_input", { ...input, min: "five" })).rejects.toThrow("five");
  });
});

describe("elicit_form", () => {
  it(verifies("A12", "asks for several values at once, some of which may be left out"), async () => {
    const fields = {
      name: { kind: "text", label: "Your name", max: 50 },
      nights: { kind: "integer", min: 1, default: 2 },
      room: { kind: "choice", options: room.options },
      extras: { kind: "choices", options: ["breakfast", "parking"], required: false },
      arrival: { kind: "date", min: "2026-01-01" },
      pets: { kind: "confirm", label: "Any pets?" },
      visit: { kind: "rating", label: "How was your last visit?", max: 10 },
      mail: { kind: "email", required: false, description: "For the invoice" },
    };
    const value = { name: "Ada", nights: 3, room: "double", arrival: "2026-07-28", pets: false, visit: 9 };

    expect(await elicit("elicit_form", { message: "Your booking", fields }, value)).toEqual({
      action: "accept",
      value,
    });
  });
});

describe("the elicit pack refuses", () => {
  const texts = [
    "What is your password?",
    "Please enter the pass-phrase of the key",
    "Ihr Passwort?",
    "您的密码",
    "パスワード",
    "비밀번호",
    "Пароль?",
    "Contraseña",
    "API key",
    "api_key",
    "apiKey",
    "AWS access-key",
    "OPENAI_API_KEY",
    "Ａｐｉ Ｋｅｙ",
    "pass\u200Bword",
    "Pässword",
    "SSH private key",
    "GitHub token",
    "accessToken",
    "token",
    "Paste the token here",
    "client_secret",
    "Your login credentials",
    "Credit card",
    "Card number",
    "CVC",
    "PIN",
    "Your bank PIN?",
    "The SMS code",
    "seed phrase",
    "Social Security number",
  ];

  it.each(texts)(verifies("A12", "to ask for a secret: %s"), async (text) => {
    const sentence = "A form must not ask for";

    await expect(elicit("elicit_input", { message: text }, "x")).rejects.toThrow(sentence);
    await expect(elicit("elicit_input", { message: "Well?", label: text }, "x")).rejects.toThrow(sentence);
    await expect(
      elicit("elicit_form", { message: "You", fields: { x: { kind: "number", description: text } } }, 1),
    ).rejects.toThrow(sentence);
  });

  it(verifies("D5", "a field that is named like a secret, with what to do instead"), async () => {
    const input = { message: "Connect", fields: { host: { kind: "uri" }, db_password: { kind: "text" } } };
    const client = await connectInMemory(createServer({ tools: elicitPack() }));
    const { isError, text } = await client.call("elicit_form", input);

    expect(isError).toBe(true);
    expect(text).toContain('A form must not ask for a password ("db_password")');
    expect(text).toContain("ask.secret");
    expect(client.questions).toEqual([]);
  });

  it.each([
    "How many tokens may the answer have?",
    "Which key is the song in?",
    "What should be on the card?",
    "Where should the pin go on the map?",
    "What is the passage about?",
    "Who is the secretary?",
  ])("not what only sounds like a secret: %s", async (message) => {
    expect(await elicit("elicit_input", { message }, "x")).toEqual({ action: "accept", value: "x" });
  });

  it("not what can only be chosen or agreed to", async () => {
    const fields = { reset: { kind: "confirm", label: "Reset the password?" } };

    expect(await elicit("elicit_confirm", { message: "Delete the API key ci?" }, true)).toMatchObject({
      value: true,
    });
    expect(await elicit("elicit_form", { message: "Your password", fields }, { reset: true })).toMatchObject({
      action: "accept",
    });
  });

  it.each([
    ["a question without words", "elicit_confirm", { message: "" }, "message"],
    ["a question that is too long", "elicit_confirm", { message: "x".repeat(2001) }, "message"],
    ["a choice between nothing", "elicit_choice", { message: "?", options: [] }, "options"],
    [
      "too many options",
      "elicit_choice",
      { message: "?", options: Array.from({ length: 51 }, String) },
      "options",
    ],
    ["an option that is too long", "elicit_choice", { message: "?", options: ["x".repeat(101)] }, "options"],
    ["two options alike", "elicit_choice", { message: "Which?", options: ["a", "a"] }, "same value"],
    ["a form without fields", "elicit_form", { message: "?", fields: {} }, "fields"],
    [
      "too many fields",
      "elicit_form",
      {
        message: "?",
        fields: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, { kind: "text" }])),
      },
      "fields",
    ],
    [
      "a field whose name is none",
      "elicit_form",
      { message: "?", fields: { "a b": { kind: "text" } } },
      "fields",
    ],
    ["a field of no kind", "elicit_form", { message: "?", fields: { a: { kind: "blob" } } }, "kind"],
    ["what it does not know", "elicit_input", { message: "?", pattern: "(a+)+$" }, "pattern"],
  ])(verifies(["A12", "D5"], "%s, and names it"), async (_, name, input, named) => {
    await expect(elicit(name, input, "x")).rejects.toThrow(named);
  });
});
