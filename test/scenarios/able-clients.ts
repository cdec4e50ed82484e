import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, nobody } from "./answers.ts";
import { formsOnly, nothing } from "./guest.ts";
import type { Scene } from "./scene.ts";

/** What depends on what the client says it can do. */
export function ableClients(scene: Scene): void {
  it(
    verifies(["B4", "C1"], "asks nothing of a client without elicitation, and says what was needed"),
    async () => {
      const guest = await scene.seat(nobody, nothing);

      await expect(guest.call("text")).resolves.toMatchObject({
        isError: true,
        text: '"What is your name?" (ask-1) cannot be asked here: the client shows no forms (elicitation).',
      });
      await expect(guest.call("text-code")).resolves.toMatchObject({ text: "ASK_UNSUPPORTED ask-1" });
      expect(guest.questions).toEqual([]);
    },
  );

  it(verifies("B4", "goes on with the fallback of a question that the client cannot show"), async () => {
    const guest = await scene.seat(nobody, nothing);

    await expect(guest.call("falls-back")).resolves.toMatchObject({ isError: false, text: "nobody" });
  });

  it(
    verifies(["C4", "C1"], "sends forms and no web address to a client with a bare elicitation"),
    async () => {
      const guest = await scene.seat(accept({ value: 3 }), formsOnly);

      await expect(guest.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
      guest.heard.forget();

      await expect(guest.call("url")).resolves.toMatchObject({
        isError: true,
        text: expect.stringContaining("the client opens no web addresses (url elicitation)"),
      });
      expect(guest.questions).toEqual([]);
    },
  );

  it(
    verifies("C4", "demands a web address first by -32042 where the revision has it, else in words"),
    async () => {
      const able = await scene.seat();
      const unable = await scene.seat(nobody, formsOnly);
      const inWords = { isError: true, text: "Sign in first: https://example.com/sign-in" };

      const demand = {
        code: -32042,
        data: {
          elicitations: [
            {
              mode: "url",
              message: "Sign in first",
              url: "https://example.com/sign-in",
              elicitationId: expect.any(String),
            },
          ],
        },
      };
      await expect(unable.call("signed-in-only")).resolves.toMatchObject(inWords);
      const told: unknown = await able.call("signed-in-only").catch((error: unknown) => error);
      expect(told).toMatchObject(scene.isSince("2025-11-25") ? demand : inWords);
    },
  );

  it(verifies(["B4", "A11"], "does not start a tool that needs what the client cannot do"), async () => {
    const guest = await scene.seat(nobody, nothing);
    scene.told.forget();

    await expect(guest.call("needs-form")).resolves.toMatchObject({
      isError: true,
      text: "needs-form needs a client that can do: form.",
    });
    await expect(guest.call("needs-url")).resolves.toMatchObject({
      isError: true,
      text: "needs-url needs a client that can do: url.",
    });
    expect(scene.told.all).toEqual([]);
  });

  it(verifies(["A11", "C2"], "lets the body see what the client can do in this revision"), async () => {
    const guest = await scene.seat();

    const { text } = await guest.call("sees");

    expect(JSON.parse(text)).toEqual({
      name: "guest",
      version: "1.2.3",
      can: { form: true, url: scene.isSince("2025-11-25"), sample: true, roots: true },
    });
  });

  it(verifies(["A10", "C1"], "asks the client's model"), async () => {
    const guest = await scene.seat();

    const { text } = await guest.call("sample");

    expect(guest.heardOf("sampling/createMessage")).toEqual([
      {
        messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
        maxTokens: 5,
        systemPrompt: "Be brief.",
      },
    ]);
    expect(JSON.parse(text)).toEqual({
      answer: { role: "assistant", content: { type: "text", text: "Hello." }, model: "parrot" },
    });
  });

  it(verifies(["A10", "B1"], "takes a person's refusal of a sample for a decline"), async () => {
    const guest = await scene.seat();
    guest.sample = () => {
      throw new McpError(-1, "User rejected sampling request");
    };

    await expect(guest.call("sample-code")).resolves.toMatchObject({ text: "ASK_DECLINED sample-1" });
  });

  it(verifies(["A10", "C1"], "asks the client for its folders"), async () => {
    const guest = await scene.seat();

    const { text } = await guest.call("roots");

    expect(JSON.parse(text)).toEqual({ answer: [{ uri: "file:///home/ada", name: "home" }] });
  });

  it.each([
    ["sample", "the client offers no model (sampling)"],
    ["roots", "the client has no roots"],
  ])(verifies(["A10", "B4"], "asks no %s of a client that has none"), async (tool, reason) => {
    const guest = await scene.seat(nobody, nothing);

    const { isError, text } = await guest.call(tool);

    expect(isError).toBe(true);
    expect(text).toContain(`cannot be asked here: ${reason}.`);
  });
}
