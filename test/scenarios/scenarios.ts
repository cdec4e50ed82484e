/**
 * What every transport must do in every revision, written once.
 *
 * The clients are those of the official SDK. They offer the newest revision and
 * take what the server answers; what a revision cannot carry is expected as the
 * error that says so.
 */
import { sessionRevisions, type SessionRevision } from "@photon/server";
import { afterAll, beforeAll, describe } from "vitest";
import { ableClients } from "./able-clients.ts";
import { asking } from "./asking.ts";
import type { Column, Need } from "./column.ts";
import { ending, endingWhenGone, outlasting } from "./ending.ts";
import { manyAtOnce } from "./many-at-once.ts";
import { answeringAgain, notAnswering } from "./not-answering.ts";
import { offering, replacing } from "./offering.ts";
import { offersThatAsk } from "./offers-that-ask.ts";
import { Scene } from "./scene.ts";
import { callingNothing, telling } from "./telling.ts";

/** A process starts within a second, unless the machine has much else to do. */
const SLOWEST = 20_000;

export function scenarios(column: Column): void {
  describe.each(sessionRevisions)(`${column.name}, %s`, { timeout: SLOWEST }, (revision: SessionRevision) => {
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
    describe("a session", () => {
      manyAtOnce(scene);
      ending(scene);
      (column.whenGone === "ends" ? endingWhenGone : outlasting)(scene);
    });
  });
}
