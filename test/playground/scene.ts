/** A way through a tool of the kitchen sink, by what a person does on the page for each of its questions. */
import type { Locator } from "playwright-core";
import type { Scenario } from "../kitchen-sink/scenario.ts";
import type { Person } from "./person.ts";

/** A question, and how it is answered. */
interface Asked {
  readonly key: string;
  readonly message: string;
  readonly answer: (question: Locator, person: Person) => Promise<void>;
  /** Its kind is declined and cancelled elsewhere. */
  readonly isAnsweredOnly?: boolean;
}

export interface Scene {
  readonly kind: string;
  readonly performance: Scenario;
  /** In the order in which they come. */
  readonly questions: readonly Asked[];
}

export const accept = (question: Locator): Promise<void> =>
  question.getByRole("button", { name: "Accept", exact: true }).click();

export const yes = (question: Locator): Promise<void> =>
  question.getByRole("button", { name: "Yes", exact: true }).click();

/** Fills in a field, and that was all there is to fill in. */
export const filled = (label: string, value: string) => async (question: Locator) => {
  await question.getByLabel(label, { exact: true }).fill(value);
  await accept(question);
};
