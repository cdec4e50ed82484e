/** What a text says, where it says a number, yes or no, or JSON. Otherwise it is returned as it is. */
import type { Ask } from "../ask-types.ts";

/** A number, where it is one. */
export function numberFrom(text: string): unknown {
  const trimmed = text.trim();
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed;
}

/** True or false, where it says yes or no. */
export function yesOrNo(text: string): unknown {
  const trimmed = text.trim();
  if (/^(?:y|yes|true)$/i.test(trimmed)) return true;
  return /^(?:n|no|false)$/i.test(trimmed) ? false : trimmed;
}

/** What a text says as JSON; the text itself where it says nothing. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * The answer that was given to a question, with texts read by its kind. Files and visits to a web address are not answered by a
 * value. Loaded when it is first used: most servers read no texts.
 */
export async function readAnswer(
  ask: Exclude<Ask, { ask: "url" | "file" }>,
  given: unknown,
): Promise<unknown> {
  const { answerFrom } = await import("./parse-answer-text.ts");
  return answerFrom(ask, given);
}

/** A day; its hyphens may be left out. The check of the answer says whether there is such a day. */
export function dayFrom(text: string): string {
  return text.trim().replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
}
