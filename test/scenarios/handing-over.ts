/** Questions that their client cannot show, on servers that hand such calls over: what a model does that reads what it is told. */
import { expect, it } from "vitest";
import { fillInPage } from "../kitchen-sink/fill-in-page.ts";
import { verifies } from "../requirements.ts";
import { nobody } from "./answers.ts";
import type { Guest } from "./column.ts";
import { formsOnly, nothing, type Called } from "./guest.ts";
import { FILLED_IN, GIVEN } from "./on-pages.ts";
import { outcomeOf, refused } from "./refusals.ts";
import type { Scene } from "./scene.ts";
import type { Feature } from "./showing.ts";

/** What must not pass through the words of a model, and what its client would have to show it with. */
const UNSPEAKABLE = [
  ["secret", { elicitation: { url: {} } }],
  ["file", { elicitation: { url: {} } }],
  ["dangerous", { elicitation: {} }],
] as const;

/** The address of a page in what was said. */
const linkIn = ({ text }: Called): string => /http\S+\/ask\/\S+/.exec(text)?.[0] ?? "";
/** The run in what was said. */
const runIn = ({ text }: Called): string => /"run":"([^"]+)"/.exec(text)?.[1] ?? "";

async function toolsAt(guest: Guest): Promise<readonly string[]> {
  const { tools } = await guest.client.listTools();
  return tools.map(({ name }) => name);
}

/** On a server with `whenUnsupported: "page"`. */
export function handingPages(scene: Scene): void {
  it(
    verifies(
      ["B4", "C1"],
      "gives a client without elicitation a link, and goes on once it was answered there",
    ),
    async () => {
      const guest = await scene.seat(nobody, nothing);

      const handed = await guest.call("text");
      await fillInPage(linkIn(handed), "Grace");
      const done = await guest.call("photon_continue", { run: runIn(handed) });

      expect(handed.isError).toBe(false);
      expect(handed.text).toContain("- What is your name?\n  http://127.0.0.1:");
      expect(handed.text).toContain("call the tool photon_continue");
      expect(await toolsAt(guest)).toContain("photon_continue");
      expect(done).toMatchObject({ isError: false, text: '{"answer":"Grace"}' });
      expect(guest.questions).toEqual([]);
      scene.shows("no elicitation: page", "a link, then `photon_continue`");
    },
  );

  it.each(["secret", "file"] as const)(
    verifies(
      ["B4", "B6", "A3"],
      "gives a client without url mode a link for a %s, and says nothing of what was answered there",
    ),
    async (kind) => {
      const guest = await scene.seat(nobody, formsOnly);

      const handed = await guest.call(kind);
      await fillInPage(linkIn(handed), FILLED_IN[kind]);
      const done = await guest.call("photon_continue", { run: runIn(handed) });

      expect(done).toMatchObject({ isError: false, text: expect.stringContaining(GIVEN[kind]) });
      expect(JSON.stringify(guest.heard.all)).not.toContain(FILLED_IN.secret);
      expect(guest.questions).toEqual([]);
      scene.shows(`a ${kind}, no url mode: page`, "on a page");
    },
  );
}

/** On a server with `whenUnsupported: "relay"`. */
export function relaying(scene: Scene): void {
  it(
    verifies(
      ["B4", "C1"],
      "puts a question into words for a client without elicitation, and goes on with what is passed on",
    ),
    async () => {
      const guest = await scene.seat(nobody, nothing);

      const handed = await guest.call("number");
      const done = await guest.call("photon_answer", { run: runIn(handed), answer: 3 });

      expect(handed.isError).toBe(false);
      expect(handed.text).toContain("- How many nights? (a whole number, 1 to 30)");
      expect(handed.text).toContain("call the tool photon_answer");
      expect(await toolsAt(guest)).toContain("photon_answer");
      expect(done).toMatchObject({ isError: false, text: '{"answer":3}' });
      expect(guest.questions).toEqual([]);
      scene.shows("no elicitation: relay", "in words, then `photon_answer`");
    },
  );

  it.each(UNSPEAKABLE)(
    verifies(["B4", "B6"], "never puts into words what is not for a model: %s"),
    async (kind, required) => {
      const guest = await scene.seat(nobody, nothing);

      const outcome = await outcomeOf(guest.call(kind));

      expect(outcome).toMatchObject(refused(scene, "(ask-1) cannot be asked here", required));
      scene.shows("secret, file, dangerous: relay", "unsupported");
    },
  );
}

/** What tools ask for in vain where nothing is handed over, and what that shows. */
const IN_VAIN: {
  readonly [way in "page" | "relay"]: readonly (readonly [tool: string, feature: Feature])[];
} = {
  page: [
    ["text", "no elicitation: page"],
    ["secret", "a secret, no url mode: page"],
    ["file", "a file, no url mode: page"],
  ],
  relay: [
    ["text", "no elicitation: relay"],
    ...UNSPEAKABLE.map(([kind]) => [kind, "secret, file, dangerous: relay"] as const),
  ],
};

/** Where tools that want their calls handed over are as others are. */
export function handingNothingOver(scene: Scene, way: "page" | "relay", reason: string): void {
  it.each(IN_VAIN[way])(
    verifies("B4", `says what was needed to a client without elicitation (${reason}): %s`),
    async (kind, feature) => {
      const guest = await scene.seat(nobody, nothing);

      const called = await guest.call(kind);

      expect(called).toMatchObject(refused(scene, "(ask-1) cannot be asked here", {}));
      expect((await toolsAt(guest)).filter((name) => name.startsWith("photon_"))).toEqual([]);
      scene.shows(feature, "unsupported");
    },
  );
}
