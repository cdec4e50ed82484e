import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../requirements.ts";
import type { Scene } from "./scene.ts";

/** Prompts, resources, completion, and being told of changes to resources. */
export function offering(scene: Scene): void {
  it(verifies(["A9", "C1"], "lists prompts and fills them in"), async () => {
    const { client } = await scene.seat();

    const { prompts } = await client.listPrompts();
    const filled = await client.getPrompt({ name: "greet", arguments: { name: "Ada", style: "kindly" } });

    expect(prompts).toEqual([
      {
        name: "greet",
        description: "Greets somebody",
        arguments: [
          { name: "name", required: true },
          { name: "style", description: "Kindly or curtly" },
        ],
      },
      { name: "interview" },
    ]);
    expect(filled.messages).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada kindly." } }]);
    scene.shows("prompts");
  });

  it(verifies("A9", "refuses a prompt without a required argument, and one that is not there"), async () => {
    const { client } = await scene.seat();

    await expect(client.getPrompt({ name: "greet" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("name"),
    });
    await expect(client.getPrompt({ name: "nobody" })).rejects.toMatchObject({ code: -32602 });
  });

  it(
    verifies(["A9", "C1"], "lists resources and templates, and reads text, bytes and what a template names"),
    async () => {
      const { client } = await scene.seat();
      const read = async (uri: string): Promise<unknown> => (await client.readResource({ uri })).contents;

      const { resources } = await client.listResources();
      const { resourceTemplates } = await client.listResourceTemplates();

      expect(resources).toEqual([
        {
          uri: "note://today",
          name: "today",
          mimeType: "text/plain",
          ...(scene.isSince("2025-06-18") ? { title: "Today's note" } : {}),
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
      scene.shows("resources, templates");
    },
  );

  it(
    verifies("A9", "answers a read of nothing with the error of the revision, and the address"),
    async () => {
      const { client } = await scene.seat();

      await expect(client.readResource({ uri: "note://nowhere" })).rejects.toMatchObject({
        code: scene.isModern ? -32602 : -32002,
        data: { uri: "note://nowhere" },
      });
    },
  );

  it.each([
    [{ type: "ref/prompt", name: "greet" } as const, { name: "name", value: "A" }, ["Ada", "Alan"]],
    [{ type: "ref/prompt", name: "greet" } as const, { name: "style", value: "k" }, []],
    [{ type: "ref/resource", uri: "note://days/{day}" } as const, { name: "day", value: "t" }, ["tuesday"]],
  ])(verifies(["A9", "C1"], "completes %j as %j"), async (ref, argument, values) => {
    const { client } = await scene.seat();

    const { completion } = await client.complete({ ref, argument });

    expect(completion).toEqual({ values, total: values.length, hasMore: false });
    scene.shows("completion");
  });

  it(
    verifies(["A9", "C1"], "tells of changes to the resources a client wants to know of, and no others"),
    async () => {
      const guest = await scene.seat();
      const stopListening = await guest.listen({ resource: "note://today" });
      onTestFinished(await guest.listen({ resource: "note://picture" }));
      await stopListening();

      await guest.call("touch");

      await guest.untilHeard("notifications/resources/updated");
      const told = guest.heardOf("notifications/resources/updated");
      expect(told.map(({ uri }) => uri)).toEqual(["note://picture"]);
      scene.shows("being told of changed resources", scene.isModern ? "while it listens" : "by subscription");
    },
  );
}

/** Tools that come later. */
export function replacing(scene: Scene): void {
  it(verifies("C1", "tells of tools that come while it runs, and lists them"), async () => {
    const guest = await scene.seat();
    onTestFinished(await guest.listen({ tools: true }));

    await guest.call("hire");

    await guest.untilHeard("notifications/tools/list_changed");
    const { tools } = await guest.client.listTools();
    expect(tools.map(({ name }) => name)).toContain("hired");
    scene.shows("being told of new tools", scene.isModern ? "while it listens" : "yes");
  });
}
