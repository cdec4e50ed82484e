import { defined, type Json } from "../util/json.ts";
import { messageOf, type Emit, type OpenQuestion, type Reply } from "../effects.ts";
import type { Entry } from "../runtime/journal.ts";

/** One thing that happened in a run, as a test reads it. */
export type Happening =
  | Emit
  | { readonly asked: string; readonly message: string; readonly attempt?: number; readonly hint?: string }
  | { readonly answered: string; readonly action: Reply["action"]; readonly value?: unknown }
  | { readonly step: string; readonly value?: Json; readonly error?: string }
  | { readonly returned: unknown }
  | { readonly threw: string; readonly message: string };

/** That a question was asked; attempt and hint where it was not the first time. */
export function askedOf(question: OpenQuestion): Happening {
  const { key, attempt, hint } = question;
  return {
    asked: key,
    message: messageOf(question),
    ...defined({ attempt: attempt > 1 ? attempt : undefined, hint }),
  };
}

/** What an entry of the journal tells a reader: a reply to a question, or a step done. */
export function happeningOf(entry: Entry): Happening | undefined {
  if ("secret" in entry) return { answered: entry.key, action: "accept", value: "[secret]" };
  // What is journalled as a reply was one.
  if ("reply" in entry) return { answered: entry.key, ...(entry.reply as Reply) };
  if (!("step" in entry) || "begun" in entry) return undefined;
  const { step, value, error } = entry;
  return { step, ...defined({ value, error: error?.message }) };
}

/** What came out of a run that threw. */
export function threwOf(error: unknown): { readonly threw: string; readonly message: string } {
  if (!(error instanceof Error)) return { threw: "Error", message: String(error) };
  return { threw: error.name, message: error.message };
}
