/**
 * What every transport must do in every revision, written once.
 *
 * The clients are those of the official SDK, of the generation that speaks the
 * revision. What a revision cannot carry is expected as the error that says so;
 * what 2026-07-28 says otherwise is expected as it says it.
 */
import { readFileSync } from "node:fs";
import { revisions, type Revision } from "@photon/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shownIn } from "../../scripts/clients-table.mjs";
import { ableClients } from "./able-clients.ts";
import { asking } from "./asking.ts";
import type { Column, Need } from "./column.ts";
import { ending, endingWhenGone, outlasting, takingLeave } from "./ending.ts";
import { handingNothingOver, handingPages, relaying } from "./handing-over.ts";
import { manyAtOnce } from "./many-at-once.ts";
import { answeringAgain, notAnswering } from "./not-answering.ts";
import { offering, replacing } from "./offering.ts";
import { offersThatAsk } from "./offers-that-ask.ts";
import { resuming } from "./resuming.ts";
import { Scene } from "./scene.ts";
import { shownBy } from "./showing.ts";
import { callingNothing, telling } from "./telling.ts";

/** A process starts within a second, unless the machine has much else to do. */
const SLOWEST = 20_000;
const page = new URL("../../docs/clients.md", import.meta.url);

export function scenarios(column: Column): void {
  const carried = revisions.filter(
    (revision) => revision !== "2026-07-28" || column.whenGone.modern !== undefined,
  );
  describe.each(carried)(`${column.name}, %s`, { timeout: SLOWEST }, (revision: Revision) => {
    const scene = new Scene(column, revision);
    beforeAll(() => scene.open());
    afterAll(() => scene.close());

    const needing = (need: Need, tell: (scene: Scene) => void): void => {
      const reason = column.lacks?.[need];
      const note = reason === undefined ? "" : ` (not here: ${reason})`;
      describe.skipIf(reason !== undefined)(`${need}${note}`, () => {
        tell(scene);
      });
    };

    describe("a server", () => {
      telling(scene);
      asking(scene);
      notAnswering(scene);
      ableClients(scene);
      needing("prompts and resources", () => {
        offering(scene);
        offersThatAsk(scene);
      });
      needing("tools that come while it runs", replacing);
      needing("an error for a call of no tool", callingNothing);
      needing("a second answer to a question", answeringAgain);
    });
    describe.each(["page", "relay"] as const)("a server with whenUnsupported: %s", (whenUnsupported) => {
      const handing = new Scene(column, revision, { whenUnsupported });
      beforeAll(() => handing.open());
      afterAll(() => handing.close());

      const reason = column.lacks?.["calls that are handed over"];
      if (reason !== undefined) handingNothingOver(handing, whenUnsupported, reason);
      else if (whenUnsupported === "page") handingPages(handing);
      else relaying(handing);
    });
    describe(`a ${scene.isModern ? "server without sessions" : "session"}`, () => {
      manyAtOnce(scene);
      ending(scene);
      // Without a session, a call whose client has gone is anybody's who has its state.
      (scene.isModern && scene.whenGone === "waits" ? resuming : takingLeave)(scene);
      (scene.whenGone === "ends" ? endingWhenGone : outlasting)(scene);
    });
  });

  describe("docs/clients.md", () => {
    it(`says of ${column.name} what these scenarios have shown; if not, run npm run clients`, ({ task }) => {
      const said = shownIn(readFileSync(page, "utf8")).filter(({ transport }) => transport === column.name);

      expect(sentencesOf(said)).toEqual(sentencesOf(shownBy(task.file)));
    });
  });
}

/** What was shown, in an order of its own; what was shown twice, once. */
function sentencesOf(shown: ReturnType<typeof shownIn>): readonly string[] {
  const sentences = shown.map(({ revision, feature, how }) => `${revision}, ${feature}: ${how}`);
  return [...new Set(sentences)].toSorted();
}
