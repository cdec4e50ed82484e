import { expect, it } from "vitest";
import { lastFirst, type AnswerHandler } from "../clients/answers.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";
import type { ScenarioClient } from "./transport.ts";

export function concurrentCalls(fixture: ServerFixture): void {
  it(
    verifies(["C1", "C2"], "ten open calls of each of two clients receive their own answers, in any order"),
    async () => {
      const numbers = Array.from({ length: 10 }, (_, index) => index);
      const answerAs = (name: string): AnswerHandler =>
        lastFirst(10)((message) => ({ value: `${name} to ${message}` }));
      const clients = {
        Ada: await fixture.connect(answerAs("Ada")),
        Grace: await fixture.connectNew(answerAs("Grace")),
      };
      const callAll = (client: ScenarioClient): Promise<string[]> =>
        Promise.all(numbers.map(async (number) => (await client.call("numbered", { number })).text));

      const [ada, grace] = await Promise.all([callAll(clients.Ada), callAll(clients.Grace)]);

      expect(ada).toEqual(numbers.map((number) => `${number}: Ada to Question ${number}?`));
      expect(grace).toEqual(numbers.map((number) => `${number}: Grace to Question ${number}?`));
      fixture.record("many calls at once");
    },
  );
}
