/** Plays scenes on the page: to their end, and to where a question gets no answer. */
import { expect } from "vitest";
import { endingWithout } from "../kitchen-sink/assert-ending.ts";
import type { Ending } from "../kitchen-sink/scenario.ts";
import { runInTestKit } from "../kitchen-sink/run-in-test-kit.ts";
import type { Studio } from "../kitchen-sink/studio.ts";
import type { Person } from "./person.ts";
import type { Scene } from "./scene.ts";

const BUTTONS = { decline: "Decline", cancel: "Cancel" } as const;

/** Answers every question of a scene, and then declines and cancels each of them, in a run of its own. With a turn, each is declined or cancelled. */
export async function assertScene(
  scene: Scene,
  person: Person,
  studio: Studio,
  turn?: number,
): Promise<void> {
  await assertPlayed(scene, person, studio);
  const optional = scene.questions.filter(({ isAnsweredOnly }) => isAnsweredOnly !== true);
  for (const [index, { key }] of optional.entries())
    for (const action of turn === undefined
      ? (["decline", "cancel"] as const)
      : ([(turn + index) % 2 === 0 ? "decline" : "cancel"] as const))
      await assertPlayed(scene, person, studio, { key, action });
}

/** Runs a scene's tool and answers it, up to the question that gets none; what it says and leaves is what it should. */
export async function assertPlayed(
  { performance, questions }: Scene,
  person: Person,
  studio: Studio,
  without?: { readonly key: string; readonly action: keyof typeof BUTTONS },
): Promise<void> {
  await studio.tidy();
  if (performance.after !== undefined) await runInTestKit(performance.after);
  await studio.remember();
  await person.follow(performance.tool, performance.input ?? {});
  await person.runIt();
  for (const { key, message, answer } of questions) {
    const question = await person.asked(message);
    if (key === without?.key) {
      await question.getByRole("button", { name: BUTTONS[without.action], exact: true }).click();
      break;
    }
    await answer(question, person);
  }
  const ending =
    without === undefined ? performance : endingWithout(performance, without.key, without.action);
  await assertEnded(person, ending, studio);
}

async function assertEnded(person: Person, ending: Ending, studio: Studio): Promise<void> {
  const { state, says } = await person.ending();
  // Data is laid out on the page.
  expect(says.replaceAll(/\s/g, "")).toContain(ending.says.replaceAll(/\s/g, ""));
  expect(state).toBe(ending.isError === true ? "failed" : "done");
  expect(await studio.changes()).toEqual(ending.changes ?? {});
}
