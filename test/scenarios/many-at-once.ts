import { expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { lastFirst, type Answer } from "./answers.ts";
import type { Guest } from "./column.ts";
import type { Scene } from "./scene.ts";

/** Many calls under way together. */
export function manyAtOnce(scene: Scene): void {
  it(
    verifies(["C1", "C2"], "keeps apart ten calls of each of two clients, answered the last one first"),
    async () => {
      const numbers = Array.from({ length: 10 }, (_, index) => index);
      const answering = (name: string): Answer =>
        lastFirst(10)((message) => ({ value: `${name} to ${message}` }));
      const ada = await scene.seat(answering("Ada"));
      const grace = await scene.seatStranger(answering("Grace"));
      const callAll = (guest: Guest): Promise<string[]> =>
        Promise.all(numbers.map(async (number) => (await guest.call("numbered", { number })).text));

      const [adas, graces] = await Promise.all([callAll(ada), callAll(grace)]);

      expect(adas).toEqual(numbers.map((number) => `${number}: Ada to Question ${number}?`));
      expect(graces).toEqual(numbers.map((number) => `${number}: Grace to Question ${number}?`));
      scene.shows("many calls at once");
    },
  );
}
