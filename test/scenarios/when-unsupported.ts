/** Servers whose option `whenUnsupported` has the model show the questions that the client cannot show. */
import { expect, it } from "vitest";
import { noQuestion } from "../clients/answers.ts";
import { formsOnly, noCapabilities, type CallResult } from "../clients/sdk-client.ts";
import { fillInPage } from "../kitchen-sink/fill-in-page.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";
import { outcomeOf, unsupported } from "./outcomes.ts";
import { ENTERED, RESULTS } from "./page-answers.ts";
import type { Row } from "./record.ts";
import type { ScenarioClient } from "./transport.ts";

/** Questions that are not relayed by a model, and the capability that a client needs for them. */
const NOT_RELAYED = [
  ["secret", { elicitation: { url: {} } }],
  ["file", { elicitation: { url: {} } }],
  ["dangerous", { elicitation: {} }],
] as const;

/** The URL of the page in a result. */
const linkIn = ({ text }: CallResult): string => /http\S+\/ask\/\S+/.exec(text)?.[0] ?? "";
/** The name of the run in a result. */
const runIn = ({ text }: CallResult): string => /"run":"([^"]+)"/.exec(text)?.[1] ?? "";

async function toolsAt(client: ScenarioClient): Promise<readonly string[]> {
  const { tools } = await client.sdk.listTools();
  return tools.map(({ name }) => name);
}

export function pages(fixture: ServerFixture): void {
  it(
    verifies(
      ["B4", "C1"],
      "a client without elicitation receives a link, and photon_continue returns the result",
    ),
    async () => {
      const client = await fixture.connect(noQuestion, noCapabilities);

      const handed = await client.call("text");
      await fillInPage(linkIn(handed), "Grace");
      const done = await client.call("photon_continue", { run: runIn(handed) });

      expect(handed.isError).toBe(false);
      expect(handed.text).toContain("- What is your name?\n  http://127.0.0.1:");
      expect(handed.text).toContain("call the tool photon_continue");
      expect(await toolsAt(client)).toContain("photon_continue");
      expect(done).toMatchObject({ isError: false, text: '{"answer":"Grace"}' });
      expect(client.questions).toEqual([]);
      fixture.record("no elicitation: page", "a link, then `photon_continue`");
    },
  );
}

export function secretsOnPages(fixture: ServerFixture): void {
  it.each(["secret", "file"] as const)(
    verifies(["B4", "B6", "A3"], "a client without url mode receives a link for a %s, and not its value"),
    async (kind) => {
      const client = await fixture.connect(noQuestion, formsOnly);

      const handed = await client.call(kind);
      await fillInPage(linkIn(handed), ENTERED[kind]);
      const done = await client.call("photon_continue", { run: runIn(handed) });

      expect(done).toMatchObject({ isError: false, text: expect.stringContaining(RESULTS[kind]) });
      expect(JSON.stringify(client.received.all)).not.toContain(ENTERED.secret);
      expect(client.questions).toEqual([]);
      fixture.record(`a ${kind}, no url mode: page`, "on a page");
    },
  );
}

export function relayedQuestions(fixture: ServerFixture): void {
  it(
    verifies(
      ["B4", "C1"],
      "a client without elicitation receives the question as text, and photon_answer returns the result",
    ),
    async () => {
      const client = await fixture.connect(noQuestion, noCapabilities);

      const handed = await client.call("number");
      const done = await client.call("photon_answer", { run: runIn(handed), answer: 3 });

      expect(handed.isError).toBe(false);
      expect(handed.text).toContain("- How many nights? (a whole number, 1 to 30)");
      expect(handed.text).toContain("call the tool photon_answer");
      expect(await toolsAt(client)).toContain("photon_answer");
      expect(done).toMatchObject({ isError: false, text: '{"answer":3}' });
      expect(client.questions).toEqual([]);
      fixture.record("no elicitation: relay", "in words, then `photon_answer`");
    },
  );
}

export function secretsNotRelayed(fixture: ServerFixture): void {
  it.each(NOT_RELAYED)(
    verifies(["B4", "B6"], "a question that a model must not see is not relayed: %s"),
    async (kind, required) => {
      const client = await fixture.connect(noQuestion, noCapabilities);

      const outcome = await outcomeOf(client.call(kind));

      expect(outcome).toMatchObject(unsupported(fixture, "(ask-1) cannot be asked here", required));
      fixture.record("secret, file, dangerous: relay", "unsupported");
    },
  );
}

/** The questions that are unsupported where nothing is handed over, by their row. */
const UNSUPPORTED: { readonly [way in "page" | "relay"]: readonly (readonly [tool: string, row: Row])[] } = {
  page: [
    ["text", "no elicitation: page"],
    ["secret", "a secret, no url mode: page"],
    ["file", "a file, no url mode: page"],
  ],
  relay: [
    ["text", "no elicitation: relay"],
    ...NOT_RELAYED.map(([kind]) => [kind, "secret, file, dangerous: relay"] as const),
  ],
};

/** On a transport that has no `whenUnsupported`. */
export function noHandover(fixture: ServerFixture, way: "page" | "relay"): void {
  it.each(UNSUPPORTED[way])(
    verifies("B4", "a question to a client without elicitation is unsupported: %s"),
    async (kind, row) => {
      const client = await fixture.connect(noQuestion, noCapabilities);

      const outcome = await client.call(kind);

      expect(outcome).toMatchObject(unsupported(fixture, "(ask-1) cannot be asked here", {}));
      expect((await toolsAt(client)).filter((name) => name.startsWith("photon_"))).toEqual([]);
      fixture.record(row, "unsupported");
    },
  );
}
