import { expect, it } from "vitest";
import { fillInPage } from "../kitchen-sink/fill-in-page.ts";
import { verifies } from "../requirements.ts";
import { accept, inTurn } from "./answers.ts";
import { kindsIn } from "./kinds.ts";
import { FILLED_IN, GIVEN } from "./on-pages.ts";
import type { Scene } from "./scene.ts";

/** Questions, and answers that fit. */
export function asking(scene: Scene): void {
  const mode = scene.isSince("2025-11-25") ? { mode: "form" } : {};

  it.each(kindsIn(scene))(
    verifies(
      ["C1", "C2", "C3", "A3"],
      "asks for a $tool in the form of the revision, and goes on with the answer",
    ),
    async ({ tool, message, schema, content, answer, how }) => {
      const guest = await scene.seat(accept(content));

      const result = await guest.call(tool);

      expect(guest.questions).toEqual([{ ...mode, message, requestedSchema: schema }]);
      expect(JSON.parse(result.text)).toEqual({ answer });
      scene.shows(`\`ask.${tool}\``, how);
    },
  );

  it(
    verifies(["C3", "A3"], "leaves empty what a person left empty in a form, and fills in its defaults"),
    async () => {
      const required = { name: "Ada", email: "ada@example.com", room: "single", news: true };
      const unticked = { "extras.wifi": false, "extras.breakfast": false, "extras.parking": false };
      const guest = await scene.seat(
        accept(scene.isSince("2025-11-25") ? required : { ...required, ...unticked }),
      );

      const { text } = await guest.call("form");

      expect(JSON.parse(text)).toEqual({ answer: { ...required, age: 30 } });
    },
  );

  it(
    verifies(
      ["C4", "A3"],
      "asks to open a web address where the revision can, and tells when it is done where that has a name",
    ),
    async () => {
      const guest = await scene.seat(accept());

      const { text } = await guest.call("url");

      const named = { elicitationId: expect.any(String) };
      const question = {
        mode: "url",
        message: "Sign in to the booking service",
        url: "https://example.com/sign-in",
        ...(scene.isModern ? {} : named),
      };
      const refusal =
        '"Sign in to the booking service" (ask-1) cannot be asked here: the client opens no web addresses (url elicitation).';
      const told = guest.heardOf("notifications/elicitation/complete");
      const done = guest.questions.filter(({ elicitationId }) => elicitationId !== undefined);
      expect(guest.questions).toEqual(scene.isSince("2025-11-25") ? [question] : []);
      expect(text).toBe(scene.isSince("2025-11-25") ? '{"answer":null}' : refusal);
      expect(told).toEqual(done.map(({ elicitationId }) => ({ elicitationId })));
      scene.shows("`ask.url`", scene.isSince("2025-11-25") ? "yes" : "unsupported");
    },
  );

  it.each(["secret", "file"] as const)(
    verifies(["B6", "B1", "A3"], "never asks for a %s in a form: on a page of its own, or not at all"),
    async (kind) => {
      const guest = await scene.seat(async () => {
        await fillInPage(String(guest.questions.at(-1)?.["url"]), FILLED_IN[kind]);
        return { action: "accept" };
      });

      const { isError, text } = await guest.call(kind);
      const asked = guest.questions;
      const { text: code } = await guest.call(`${kind}-code`);

      const page = { mode: "url", url: expect.stringMatching(/^http:.*\/ask\//) };
      expect(asked).toMatchObject(scene.hasPages ? [page] : []);
      expect({ isError, text }).toEqual({
        isError: !scene.hasPages,
        text: expect.stringContaining(scene.hasPages ? GIVEN[kind] : "cannot be asked here"),
      });
      expect(code).toContain(scene.hasPages ? GIVEN[kind] : "ASK_UNSUPPORTED ask-1");
      scene.shows(`\`ask.${kind}\``, scene.hasPages ? "on a page" : "unsupported");
    },
  );

  it(verifies(["C1", "C2"], "asks two questions in a row, with a status between them"), async () => {
    const guest = await scene.seat(inTurn(accept({ value: "Ada" }), accept({ value: "Rome" })));
    const seen: unknown[] = [];

    const { text } = await guest.call("two", {}, { onprogress: ({ message }) => seen.push(message) });

    expect(guest.questions.map(({ message }) => message)).toEqual(["Your name?", "Where to, Ada?"]);
    expect(seen).toEqual(["Hello, Ada"]);
    expect(text).toBe("Ada goes to Rome.");
  });

  it(verifies(["C1", "C2"], "asks in a loop until the person has had enough"), async () => {
    const said = ["milk", "bread", "eggs", "stop"];
    const guest = await scene.seat(inTurn(...said.map((value) => accept({ value }))));

    const { text } = await guest.call("loop");

    expect(guest.questions.map(({ message }) => message)).toEqual([
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
      "asks as often as a tool likes; another call continues it where the client takes no more rounds",
    ),
    async () => {
      const items = Array.from({ length: 10 }, (_, index) => `item ${index + 1}`);
      const guest = await scene.seat(inTurn(...[...items, "stop"].map((value) => accept({ value }))));

      const first = await guest.call("loop");
      const [, run] = /"run":"([^"]+)"/.exec(first.text) ?? [];
      const { text } = run === undefined ? first : await guest.call("photon_continue", { run });

      expect(run !== undefined).toBe(scene.isModern);
      expect(text).toBe(items.join(", "));
      scene.shows(
        "questions one after another",
        scene.isModern ? "10 rounds a call, then `photon_continue`" : "any number",
      );
    },
  );

  it(
    verifies(
      ["A6", "C1"],
      "asks all the questions of a round in their order, at once where the revision can",
    ),
    async () => {
      const guest = await scene.seat(inTurn(accept({ value: "Ada" }), accept({ value: true })));

      const { text } = await guest.call("all");

      expect(guest.questions.map(({ message }) => message)).toEqual(["Name?", "Sure?"]);
      expect(JSON.parse(text)).toEqual({ name: "Ada", sure: true });
      // With the result.
      expect(guest.heard.all).toHaveLength(scene.isModern ? 2 : 3);
      scene.shows("`ask.all`", scene.isModern ? "one round" : "one question after another");
    },
  );
}
