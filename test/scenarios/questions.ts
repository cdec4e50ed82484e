import { expect, it } from "vitest";
import { accept, acceptValue, inTurn } from "../clients/answers.ts";
import { fillInPage } from "../kitchen-sink/fill-in-page.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";
import { kindsIn, type Kind } from "./kinds.ts";
import { ENTERED, RESULTS } from "./page-answers.ts";

const modeIn = (fixture: ServerFixture): object => (fixture.isSince("2025-11-25") ? { mode: "form" } : {});

function questionOf(fixture: ServerFixture, { tool, message, schema, content, answer, how }: Kind): void {
  it(
    verifies(
      ["C1", "C2", "C3", "A3"],
      `ask.${tool} is sent in the form of the revision, and the tool receives the answer`,
    ),
    async () => {
      const client = await fixture.connect(accept(content));

      const result = await client.call(tool);

      expect(client.questions).toEqual([{ ...modeIn(fixture), message, requestedSchema: schema }]);
      expect(JSON.parse(result.text)).toEqual({ answer });
      fixture.record(`\`ask.${tool}\``, how);
    },
  );
}

export function textQuestion(fixture: ServerFixture): void {
  for (const kind of kindsIn(fixture)) if (kind.tool === "text") questionOf(fixture, kind);
}

export function otherQuestions(fixture: ServerFixture): void {
  for (const kind of kindsIn(fixture)) if (kind.tool !== "text") questionOf(fixture, kind);

  it(
    verifies(
      ["C3", "A3"],
      "optional fields that are left empty are empty in the answer, or have their default",
    ),
    async () => {
      const required = { name: "Ada", email: "ada@example.com", room: "single", news: true };
      const unticked = { "extras.wifi": false, "extras.breakfast": false, "extras.parking": false };
      const client = await fixture.connect(
        accept(fixture.isSince("2025-11-25") ? required : { ...required, ...unticked }),
      );

      const { text } = await client.call("form");

      expect(JSON.parse(text)).toEqual({ answer: { ...required, age: 30 } });
    },
  );

  it(
    verifies(
      ["C4", "A3"],
      "ask.url opens the URL where the revision has url elicitation; a session is notified of the end",
    ),
    async () => {
      const client = await fixture.connect(accept());
      const hasUrls = fixture.isSince("2025-11-25");

      const { text } = await client.call("url");

      const anyId: unknown = expect.any(String);
      const id = fixture.isStateless ? {} : { elicitationId: anyId };
      const question = {
        mode: "url",
        message: "Sign in to the booking service",
        url: "https://example.com/sign-in",
        ...id,
      };
      const unsupported =
        '"Sign in to the booking service" (ask-1) cannot be asked here: the client opens no web addresses (url elicitation).';
      const ids = client.questions.flatMap(({ elicitationId }) =>
        elicitationId === undefined ? [] : [{ elicitationId }],
      );
      expect(client.questions).toEqual(hasUrls ? [question] : []);
      expect(text).toBe(hasUrls ? '{"answer":null}' : unsupported);
      expect(client.receivedOf("notifications/elicitation/complete")).toEqual(ids);
      fixture.record("`ask.url`", hasUrls ? "yes" : "unsupported");
    },
  );
}

export function questionsOnPages(fixture: ServerFixture, kind: "secret" | "file"): void {
  it(
    verifies(["B6", "B1", "A3"], `ask.${kind} is asked on a page, or not at all: never in a form`),
    async () => {
      const client = await fixture.connect(async ({ params }) => {
        await fillInPage("url" in params ? params.url : "", ENTERED[kind]);
        return { action: "accept" };
      });

      const { isError, text } = await client.call(kind);
      const asked = client.questions;
      const { text: code } = await client.call(`${kind}-code`);

      const page = { mode: "url", url: expect.stringMatching(/^http:.*\/ask\//) };
      expect(asked).toMatchObject(fixture.hasPages ? [page] : []);
      expect({ isError, text }).toEqual({
        isError: !fixture.hasPages,
        text: expect.stringContaining(fixture.hasPages ? RESULTS[kind] : "cannot be asked here"),
      });
      expect(code).toContain(fixture.hasPages ? RESULTS[kind] : "ASK_UNSUPPORTED ask-1");
      fixture.record(`\`ask.${kind}\``, fixture.hasPages ? "on a page" : "unsupported");
    },
  );
}

export function questionsInARow(fixture: ServerFixture): void {
  it(verifies(["C1", "C2"], "a tool asks two questions, with a status between them"), async () => {
    const client = await fixture.connect(inTurn(acceptValue("Ada"), acceptValue("Rome")));
    const messages: unknown[] = [];

    const { text } = await client.call("two", {}, { onprogress: ({ message }) => messages.push(message) });

    expect(client.questions.map(({ message }) => message)).toEqual(["Your name?", "Where to, Ada?"]);
    expect(messages).toEqual(["Hello, Ada"]);
    expect(text).toBe("Ada goes to Rome.");
  });
}

/** Any number of questions, and several at once. */
export function sequences(fixture: ServerFixture): void {
  it(verifies(["C1", "C2"], "a tool asks in a loop until an answer ends it"), async () => {
    const values = ["milk", "bread", "eggs", "stop"];
    const client = await fixture.connect(inTurn(...values.map(acceptValue)));

    const { text } = await client.call("loop");

    expect(client.questions.map(({ message }) => message)).toEqual([
      "Item 1?",
      "Item 2?",
      "Item 3?",
      "Item 4?",
    ]);
    expect(text).toBe("milk, bread, eggs");
  });

  it(
    verifies(
      ["C1", "C6"],
      "a tool asks any number of questions; after the rounds of the client, photon_continue asks the next",
    ),
    async () => {
      const items = Array.from({ length: 10 }, (_, index) => `item ${index + 1}`);
      const client = await fixture.connect(inTurn(...[...items, "stop"].map(acceptValue)));

      const first = await client.call("loop");
      const [, run] = /"run":"([^"]+)"/.exec(first.text) ?? [];
      const { text } = run === undefined ? first : await client.call("photon_continue", { run });

      expect(run !== undefined).toBe(fixture.isStateless);
      expect(text).toBe(items.join(", "));
      fixture.record(
        "questions one after another",
        fixture.isStateless ? "10 rounds a call, then `photon_continue`" : "any number",
      );
    },
  );

  it(
    verifies(["A6", "C1"], "ask.all sends its questions in their order, at once where the revision can"),
    async () => {
      const client = await fixture.connect(inTurn(acceptValue("Ada"), acceptValue(true)));

      const { text } = await client.call("all");

      expect(client.questions.map(({ message }) => message)).toEqual(["Name?", "Sure?"]);
      expect(JSON.parse(text)).toEqual({ name: "Ada", sure: true });
      // The result is the last message.
      expect(client.received.all).toHaveLength(fixture.isStateless ? 2 : 3);
      fixture.record("`ask.all`", fixture.isStateless ? "one round" : "one question after another");
    },
  );
}
