import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, nobody } from "./answers.ts";
import { formsOnly, nothing } from "./guest.ts";
import { inWhatWay, outcomeOf, refused } from "./refusals.ts";
import type { Scene } from "./scene.ts";

/** What depends on what the client says it can do. */
export function ableClients(scene: Scene): void {
  it(
    verifies(["B4", "C1"], "asks nothing of a client without elicitation, and says what was needed"),
    async () => {
      const guest = await scene.seat(nobody, nothing);
      const sentence =
        '"What is your name?" (ask-1) cannot be asked here: the client shows no forms (elicitation).';

      const outcome = await outcomeOf(guest.call("text"));

      expect(outcome).toMatchObject(refused(scene, sentence, { elicitation: {} }));
      await expect(guest.call("text-code")).resolves.toMatchObject({ text: "ASK_UNSUPPORTED ask-1" });
      expect(guest.questions).toEqual([]);
      scene.shows("no elicitation: fail", inWhatWay(scene));
    },
  );

  it(verifies("B4", "goes on with the fallback of a question that the client cannot show"), async () => {
    const guest = await scene.seat(nobody, nothing);

    await expect(guest.call("falls-back")).resolves.toMatchObject({ isError: false, text: "nobody" });
    scene.shows("`fallback`");
  });

  it(
    verifies(["C4", "C1"], "sends forms and no web address to a client with a bare elicitation"),
    async () => {
      const guest = await scene.seat(accept({ value: 3 }), formsOnly);
      const sentence = "the client opens no web addresses (url elicitation)";

      await expect(guest.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
      guest.heard.forget();

      const outcome = await outcomeOf(guest.call("url"));
      expect(outcome).toMatchObject(refused(scene, sentence, { elicitation: { url: {} } }));
      expect(guest.questions).toEqual([]);
    },
  );

  it(
    verifies(
      ["C4", "C6"],
      "demands a web address first in the way of the revision, and begins again once it was opened",
    ),
    async () => {
      const guest = await scene.seat(accept());
      const named = { elicitationId: expect.any(String) };
      const visit = {
        mode: "url",
        message: "Sign in first",
        url: "https://example.com/sign-in",
        ...(scene.isModern ? {} : named),
      };
      const demand = scene.isSince("2025-11-25")
        ? { code: -32042, data: { elicitations: [visit] } }
        : { isError: true, text: "Sign in first: https://example.com/sign-in" };

      const outcomes = [await outcomeOf(guest.call("signed-in-only"))];
      // Where it is not asked for in the middle of the call, the client calls again.
      if (!scene.isModern) outcomes.push(await outcomeOf(guest.call("signed-in-only")));

      const signedIn = { isError: false, text: "Signed in." };
      expect(outcomes).toMatchObject(scene.isModern ? [signedIn] : [demand, signedIn]);
      expect(guest.questions).toEqual(scene.isModern ? [visit] : []);
      const beforeModern = scene.isSince("2025-11-25") ? "error -32042" : "in words";
      scene.shows("`UrlRequired`", scene.isModern ? "a question" : beforeModern);
    },
  );

  it(verifies("C4", "says in words which web address is demanded of a client that opens none"), async () => {
    const guest = await scene.seat(nobody, formsOnly);
    const sentence = "Sign in first: https://example.com/sign-in";

    const outcome = await outcomeOf(guest.call("signed-in-only"));

    expect(outcome).toMatchObject(refused(scene, sentence, { elicitation: { url: {} } }));
    await expect(guest.call("signed-in-only")).resolves.toMatchObject({ text: "Signed in." });
  });

  it.each([
    ["form", {}],
    ["url", { url: {} }],
  ])(
    verifies(["B4", "A11"], "does not start a tool that needs %s, which the client cannot do"),
    async (need, elicitation) => {
      const guest = await scene.seat(nobody, nothing);
      scene.told.forget();

      const outcome = await outcomeOf(guest.call(`needs-${need}`));

      const sentence = `needs-${need} needs a client that can do: ${need}.`;
      expect(outcome).toMatchObject(refused(scene, sentence, { elicitation }));
      expect(scene.told.all).toEqual([]);
      scene.shows("`needs` that are not met", inWhatWay(scene));
    },
  );

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
    scene.shows("`sample`");
  });

  it(
    verifies(["A10", "B1"], "takes a person's refusal of a sample for a decline, where it is told of it"),
    async () => {
      const guest = await scene.seat();
      guest.sample = () => {
        throw new McpError(-1, "User rejected sampling request");
      };

      const outcome = await outcomeOf(guest.call("sample-code"));

      // Where the server is sent no errors, the call is over at the client.
      const failed = { message: expect.stringContaining("User rejected sampling request") };
      expect(outcome).toMatchObject(scene.isModern ? failed : { text: "ASK_DECLINED sample-1" });
      scene.shows(
        "a sample that the person refuses",
        scene.isModern ? "the call fails at the client" : "a decline",
      );
    },
  );

  it(verifies(["A10", "C1"], "asks the client for its folders"), async () => {
    const guest = await scene.seat();

    const { text } = await guest.call("roots");

    expect(JSON.parse(text)).toEqual({ answer: [{ uri: "file:///home/ada", name: "home" }] });
    scene.shows("`roots`");
  });

  it.each([
    ["sample", "the client offers no model (sampling)", { sampling: {} }],
    ["roots", "the client has no roots", { roots: {} }],
  ])(verifies(["A10", "B4"], "asks no %s of a client that has none"), async (tool, reason, capability) => {
    const guest = await scene.seat(nobody, nothing);

    const outcome = await outcomeOf(guest.call(tool));

    expect(outcome).toMatchObject(refused(scene, `cannot be asked here: ${reason}.`, capability));
  });
}
