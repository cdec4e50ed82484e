import { expect, it, onTestFinished } from "vitest";
import { acceptValue, decline, leaveOpen, noQuestion } from "../clients/answers.ts";
import { noCapabilities } from "../clients/sdk-client.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";
import type { ScenarioClient } from "./transport.ts";

const options = { enum: ["monday", "friday"], enumNames: ["Monday", "Friday"] };
const titled = [
  { const: "monday", title: "Monday" },
  { const: "friday", title: "Friday" },
];

/** A prompt and a resource that ask before they return. */
const asking = [
  {
    what: "a prompt",
    feature: "prompts that ask",
    get: async ({ sdk }: ScenarioClient, signal?: AbortSignal): Promise<unknown> =>
      (await sdk.getPrompt({ name: "interview" }, signal && { signal })).messages,
    message: "What about?",
    field: () => ({ type: "string", title: "What about?" }),
    value: "trains",
    given: [{ role: "assistant", content: { type: "text", text: "Let us talk about trains." } }],
  },
  {
    what: "a resource",
    feature: "resources that ask",
    get: async ({ sdk }: ScenarioClient, signal?: AbortSignal): Promise<unknown> =>
      (await sdk.readResource({ uri: "note://diary" }, signal && { signal })).contents,
    message: "Which day?",
    field: (fixture: ServerFixture) => ({
      type: "string",
      title: "Which day?",
      ...(fixture.isSince("2025-11-25") ? { oneOf: titled, default: "friday" } : options),
    }),
    value: "monday",
    given: [{ uri: "note://diary", text: "It rained on monday." }],
  },
] as const;

export function promptsAndResources(fixture: ServerFixture): void {
  it(verifies(["A9", "C1"], "prompts are listed, and filled in with their arguments"), async () => {
    const { sdk } = await fixture.connect();

    const { prompts } = await sdk.listPrompts();
    const filled = await sdk.getPrompt({ name: "greet", arguments: { name: "Ada", style: "kindly" } });

    expect(prompts).toEqual([
      {
        name: "greet",
        description: "Greets a guest",
        arguments: [
          { name: "name", required: true },
          { name: "style", description: "Kindly or curtly" },
        ],
      },
      { name: "interview" },
    ]);
    expect(filled.messages).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada kindly." } }]);
    fixture.record("prompts");
  });

  it(
    verifies("A9", "a prompt without a required argument, or with an unknown name, fails with -32602"),
    async () => {
      const { sdk } = await fixture.connect();

      await expect(sdk.getPrompt({ name: "greet" })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("name"),
      });
      await expect(sdk.getPrompt({ name: "unknown" })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it(verifies(["A9", "C1"], "resources and templates are listed, and read as text or bytes"), async () => {
    const { sdk } = await fixture.connect();
    const read = async (uri: string): Promise<unknown> => (await sdk.readResource({ uri })).contents;

    const { resources } = await sdk.listResources();
    const { resourceTemplates } = await sdk.listResourceTemplates();

    expect(resources).toEqual([
      {
        uri: "note://today",
        name: "today",
        mimeType: "text/plain",
        ...(fixture.isSince("2025-06-18") ? { title: "Today's note" } : {}),
      },
      { uri: "note://picture", name: "picture", mimeType: "image/png" },
      { uri: "note://diary", name: "diary" },
    ]);
    expect(resourceTemplates).toEqual([{ uriTemplate: "note://days/{day}", name: "day" }]);
    await expect(read("note://today")).resolves.toEqual([
      { uri: "note://today", mimeType: "text/plain", text: "Buy milk." },
    ]);
    await expect(read("note://picture")).resolves.toEqual([
      { uri: "note://picture", mimeType: "image/png", blob: "BwgJ" },
    ]);
    await expect(read("note://days/monday")).resolves.toEqual([
      { uri: "note://days/monday", mimeType: "text/markdown", text: "Nothing on monday." },
    ]);
    fixture.record("resources, templates");
  });

  it(verifies("A9", "an unknown resource fails with the error of the revision and the URI"), async () => {
    const { sdk } = await fixture.connect();

    await expect(sdk.readResource({ uri: "note://nowhere" })).rejects.toMatchObject({
      code: fixture.isStateless ? -32602 : -32002,
      data: { uri: "note://nowhere" },
    });
  });

  it.each([
    [{ type: "ref/prompt", name: "greet" } as const, { name: "name", value: "A" }, ["Ada", "Alan"]],
    [{ type: "ref/prompt", name: "greet" } as const, { name: "style", value: "k" }, []],
    [{ type: "ref/resource", uri: "note://days/{day}" } as const, { name: "day", value: "t" }, ["tuesday"]],
  ])(verifies(["A9", "C1"], "%j with %j is completed"), async (ref, argument, values) => {
    const { sdk } = await fixture.connect();

    const { completion } = await sdk.complete({ ref, argument });

    expect(completion).toEqual({ values, total: values.length, hasMore: false });
    fixture.record("completion");
  });

  for (const offer of asking) asks(fixture, offer);
}

/** A prompt or a resource asks as a tool does. */
function asks(
  fixture: ServerFixture,
  { what, feature, get, message, field, value, given }: (typeof asking)[number],
): void {
  it(verifies(["A9", "C1", "C2"], `${what} asks in the form of the revision`), async () => {
    const client = await fixture.connect(acceptValue(value));

    await expect(get(client)).resolves.toEqual(given);

    const requestedSchema = { type: "object", properties: { value: field(fixture) }, required: ["value"] };
    const mode = fixture.isSince("2025-11-25") ? { mode: "form" } : {};
    expect(client.questions).toEqual([{ ...mode, message, requestedSchema }]);
    fixture.record(feature);
  });

  it(verifies(["A9", "B1"], `${what} whose question is declined fails`), async () => {
    const client = await fixture.connect(decline);

    await expect(get(client)).rejects.toThrow(`The person declined to answer "${message}" (ask-1).`);
  });

  it(
    verifies(
      ["A9", "B4"],
      `${what} that asks fails for a client without elicitation, with the capability that is missing`,
    ),
    async () => {
      const client = await fixture.connect(noQuestion, noCapabilities);

      const refused: unknown = await get(client).catch((error: unknown) => error);

      const sentence = `"${message}" (ask-1) cannot be asked here: the client shows no forms (elicitation).`;
      expect(refused).toMatchObject({
        code: fixture.isStateless ? -32021 : -32603,
        message: expect.stringContaining(sentence),
      });
      expect(client.questions).toEqual([]);
    },
  );

  it(verifies(["A9", "B8"], `${what} that is cancelled cancels its question`), async () => {
    const question = leaveOpen();
    const client = await fixture.connect(question.answer);
    const controller = new AbortController();

    const getting = get(client, controller.signal);
    await question.asked;
    controller.abort("changed my mind");

    await expect(getting).rejects.toThrow("changed my mind");
    await expect(question.cancelled).resolves.toBeUndefined();
  });
}

export function updatedResources(fixture: ServerFixture): void {
  it(
    verifies(["A9", "C1"], "a client is notified of changes of the resources that it has subscribed to"),
    async () => {
      const client = await fixture.connect();
      const unsubscribe = await client.listen({ resource: "note://today" });
      onTestFinished(await client.listen({ resource: "note://picture" }));
      await unsubscribe();

      await client.call("touch");

      await client.untilReceived("notifications/resources/updated");
      const updates = client.receivedOf("notifications/resources/updated");
      expect(updates.map(({ uri }) => uri)).toEqual(["note://picture"]);
      fixture.record(
        "notification of changed resources",
        fixture.isStateless ? "while it listens" : "by subscription",
      );
    },
  );
}

export function addedTools(fixture: ServerFixture): void {
  it(
    verifies("C1", "a client is notified of tools that are added while the server runs, and lists them"),
    async () => {
      const client = await fixture.connect();
      onTestFinished(await client.listen({ tools: true }));

      await client.call("add-tool");

      await client.untilReceived("notifications/tools/list_changed");
      const { tools } = await client.sdk.listTools();
      expect(tools.map(({ name }) => name)).toContain("added");
      fixture.record("notification of new tools", fixture.isStateless ? "while it listens" : "yes");
    },
  );
}
