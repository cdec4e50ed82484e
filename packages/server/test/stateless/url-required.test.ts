/** A tool that demands a visit to a URL first: in 2026-07-28 that is a question like any other. */
import { ask, tool, UrlRequired, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless } from "../wire/servers.ts";
import { codeIn, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";

describe("a tool that demands a step elsewhere first", () => {
  function signIn(urls = ["https://example.com/sign-in"]): Tool<never> {
    let visits = 0;
    return tool({
      name: "mail",
      async *run() {
        visits += 1;
        if (visits === 1) throw new UrlRequired(urls.map((url) => ({ message: `Go to ${url}`, url })));
        return `Sent to ${yield* ask.text("To whom?")}`;
      },
    });
  }

  it(verifies(["C4", "C5"], "asks to open the address, and begins again once that was done"), async () => {
    const { client } = await serveStateless({ tools: [signIn()] });

    const visit = await client.call("mail");
    const asked = await client.retry(visit, { "url-1": { action: "accept" } });
    const done = await client.accept(asked, { "ask-1": "Ada" });

    expect(questionsIn(visit)).toEqual({
      "url-1": {
        method: "elicitation/create",
        params: {
          mode: "url",
          message: "Go to https://example.com/sign-in",
          url: "https://example.com/sign-in",
        },
      },
    });
    expect(textOf(done.answer)).toBe("Sent to Ada");
  });

  it("asks for all of them at once", async () => {
    const { client } = await serveStateless({ tools: [signIn(["https://a.example", "https://b.example"])] });

    const visit = await client.call("mail");
    const half = await client.retry(visit, { "url-2": { action: "accept" } });
    const asked = await client.retry(half, { "url-1": { action: "accept" } });

    expect(Object.keys(questionsIn(visit))).toEqual(["url-1", "url-2"]);
    expect(Object.keys(questionsIn(half))).toEqual(["url-1"]);
    expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
  });

  it.each(["decline", "cancel"])(
    verifies("B1", "ends with what was needed, where the person answers %s"),
    async (action) => {
      const { client } = await serveStateless({ tools: [signIn()] });

      const done = await client.retry(await client.call("mail"), { "url-1": { action } });

      expect(done.answer.result).toMatchObject({ resultType: "complete", isError: true });
      expect(textOf(done.answer)).toContain("https://example.com/sign-in");
    },
  );

  it(verifies(["C4", "C5"], "is -32021 to a client that opens none, and never -32042"), async () => {
    const { client } = await serveStateless({ tools: [signIn()] }, { elicitation: {} });

    const received = await client.call("mail");

    expect({ status: received.status, code: codeIn(received) }).toEqual({ status: 400, code: -32021 });
    expect(received.answer.error?.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
  });
});
