/**
 * Tools by which a model asks the person in front of it.
 *
 *   1. What comes of a question is data: `{ action, value? }`. There is a value where the person accepted, and nowhere else.
 *   2. What a person types into a form is seen by the client and the model, so no form asks for a secret.
 *   3. What a model can ask is bounded: so many words, so many choices, so many fields.
 */
import type { Timeout, Tool } from "@photon/core";
import { elicitChoice, elicitConfirm, elicitForm, elicitInput } from "./tools.ts";

export interface ElicitPackOptions {
  /** How long a question stays open: five minutes, or what the server says. */
  readonly timeout?: Timeout;
}

/** `elicit_choice`, `elicit_input`, `elicit_confirm` and `elicit_form`. */
export function elicitPack({ timeout }: ElicitPackOptions = {}): readonly Tool<never>[] {
  // A person who has mistyped is asked again, with a hint.
  const manner = { retries: 2, ...(timeout === undefined ? {} : { timeout }) };
  return [elicitChoice(manner), elicitInput(manner), elicitConfirm(manner), elicitForm(manner)];
}
