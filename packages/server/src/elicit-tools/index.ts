/**
 * Tools with which a model asks the user.
 *
 *   1. They return `{ action, value? }`. There is a value only where the user accepted.
 *   2. The client and the model see what is typed into a form, so no form asks for a secret.
 *   3. The length of texts and the number of choices and fields are limited.
 */
import type { Timeout, Tool } from "@photon/core";
import { elicitChoice, elicitConfirm, elicitForm, elicitInput } from "./tools.ts";

export interface ElicitPackOptions {
  /** How long a question stays open. The default is the server's, or five minutes. */
  readonly timeout?: Timeout;
}

/** `elicit_choice`, `elicit_input`, `elicit_confirm` and `elicit_form`. */
export function elicitPack({ timeout }: ElicitPackOptions = {}): readonly Tool<never>[] {
  // A user who mistypes is asked again, with a hint.
  const manner = { retries: 2, ...(timeout === undefined ? {} : { timeout }) };
  return [elicitChoice(manner), elicitInput(manner), elicitConfirm(manner), elicitForm(manner)];
}
