import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { accept, acceptValue, noQuestion } from "../clients/answers.ts";
import { formsOnly, noCapabilities } from "../clients/sdk-client.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";
import { outcomeOf, unsupported, unsupportedIn } from "./outcomes.ts";

/** What depends on the capabilities that the client declares. */
export function capabilities(fixture: ServerFixture): void {
  it(
    verifies(
      ["B4", "C1"],
      "a question to a client without elicitation fails with the capability that is missing",
    ),
    async () => {
      const client = await fixture.connect(noQuestion, noCapabilities);
      const sentence =
        '"What is your name?" (ask-1) cannot be asked here: the client shows no forms (elicitation).';

      const outcome = await outcomeOf(client.call("text"));

      expect(outcome).toMatchObject(unsupported(fixture, sentence, { elicitation: {} }));
      await expect(client.call("text-code")).resolves.toMatchObject({ text: "ASK_UNSUPPORTED ask-1" });
      expect(client.questions).toEqual([]);
      fixture.record("no elicitation: fail", unsupportedIn(fixture));
    },
  );

  it(verifies("B4", "a question to a client without elicitation has the value of its fallback"), async () => {
    const client = await fixture.connect(noQuestion, noCapabilities);

    await expect(client.call("falls-back")).resolves.toMatchObject({ isError: false, text: "Jane Doe" });
    fixture.record("`fallback`");
  });

  it(
    verifies(["C4", "C1"], "a client that declares elicitation without modes is asked in forms, not by URL"),
    async () => {
      const client = await fixture.connect(acceptValue(3), formsOnly);
      const sentence = "the client opens no web addresses (url elicitation)";

      await expect(client.call("number")).resolves.toMatchObject({ text: '{"answer":3}' });
      client.received.clear();

      const outcome = await outcomeOf(client.call("url"));
      expect(outcome).toMatchObject(unsupported(fixture, sentence, { elicitation: { url: {} } }));
      expect(client.questions).toEqual([]);
    },
  );

  it(
    verifies(
      ["C4", "C6"],
      "UrlRequired is sent in the form of the revision, and the next call after the URL was opened succeeds",
    ),
    async () => {
      const client = await fixture.connect(accept());
      const named = { elicitationId: expect.any(String) };
      const visit = {
        mode: "url",
        message: "Sign in first",
        url: "https://example.com/sign-in",
        ...(fixture.isStateless ? {} : named),
      };
      const demand = fixture.isSince("2025-11-25")
        ? { code: -32042, data: { elicitations: [visit] } }
        : { isError: true, text: "Sign in first: https://example.com/sign-in" };

      const outcomes = [await outcomeOf(client.call("signed-in-only"))];
      // Where it is not asked for in the middle of the call, the client calls again.
      if (!fixture.isStateless) outcomes.push(await outcomeOf(client.call("signed-in-only")));

      const signedIn = { isError: false, text: "Signed in." };
      expect(outcomes).toMatchObject(fixture.isStateless ? [signedIn] : [demand, signedIn]);
      expect(client.questions).toEqual(fixture.isStateless ? [visit] : []);
      const beforeModern = fixture.isSince("2025-11-25") ? "error -32042" : "in words";
      fixture.record("`UrlRequired`", fixture.isStateless ? "a question" : beforeModern);
    },
  );

  it(verifies("C4", "UrlRequired is a text with the URL for a client without url elicitation"), async () => {
    const client = await fixture.connect(noQuestion, formsOnly);
    const sentence = "Sign in first: https://example.com/sign-in";

    const outcome = await outcomeOf(client.call("signed-in-only"));

    expect(outcome).toMatchObject(unsupported(fixture, sentence, { elicitation: { url: {} } }));
    await expect(client.call("signed-in-only")).resolves.toMatchObject({ text: "Signed in." });
  });

  it.each([
    ["form", {}],
    ["url", { url: {} }],
  ])(
    verifies(["B4", "A11"], "a tool that needs %s does not start for a client without it"),
    async (need, elicitation) => {
      const client = await fixture.connect(noQuestion, noCapabilities);
      fixture.log.clear();

      const outcome = await outcomeOf(client.call(`needs-${need}`));

      const sentence = `needs-${need} needs a client that can do: ${need}.`;
      expect(outcome).toMatchObject(unsupported(fixture, sentence, { elicitation }));
      expect(fixture.log.all).toEqual([]);
      fixture.record("`needs` that are not met", unsupportedIn(fixture));
    },
  );

  it(verifies(["A11", "C2"], "a tool can read the name and the capabilities of the client"), async () => {
    const client = await fixture.connect();

    const { text } = await client.call("sees");

    expect(JSON.parse(text)).toEqual({
      name: "client",
      version: "1.2.3",
      can: { form: true, url: fixture.isSince("2025-11-25"), sample: true, roots: true },
    });
  });

  it(verifies(["A10", "C1"], "sample asks the model of the client"), async () => {
    const client = await fixture.connect();

    const { text } = await client.call("sample");

    expect(client.receivedOf("sampling/createMessage")).toEqual([
      {
        messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
        maxTokens: 5,
        systemPrompt: "Be brief.",
      },
    ]);
    expect(JSON.parse(text)).toEqual({
      answer: { role: "assistant", content: { type: "text", text: "Hello." }, model: "test" },
    });
    fixture.record("`sample`");
  });

  it(
    verifies(
      ["A10", "B1"],
      "a sample that the user refuses is declined; in 2026-07-28 the client ends the call",
    ),
    async () => {
      const client = await fixture.connect();
      client.sample = () => {
        throw new McpError(-1, "User rejected sampling request");
      };

      const outcome = await outcomeOf(client.call("sample-code"));

      // Where the server is sent no errors, the call is over at the client.
      const failed = { message: expect.stringContaining("User rejected sampling request") };
      expect(outcome).toMatchObject(fixture.isStateless ? failed : { text: "ASK_DECLINED sample-1" });
      fixture.record(
        "a sample that the user refuses",
        fixture.isStateless ? "the call fails at the client" : "a decline",
      );
    },
  );

  it(verifies(["A10", "C1"], "roots asks for the roots of the client"), async () => {
    const client = await fixture.connect();

    const { text } = await client.call("roots");

    expect(JSON.parse(text)).toEqual({ answer: [{ uri: "file:///home/ada", name: "home" }] });
    fixture.record("`roots`");
  });

  it.each([
    ["sample", "the client offers no model (sampling)", { sampling: {} }],
    ["roots", "the client has no roots", { roots: {} }],
  ])(
    verifies(["A10", "B4"], "%s fails for a client without the capability"),
    async (tool, reason, capability) => {
      const client = await fixture.connect(noQuestion, noCapabilities);

      const outcome = await outcomeOf(client.call(tool));

      expect(outcome).toMatchObject(unsupported(fixture, `cannot be asked here: ${reason}.`, capability));
    },
  );
}
