import { digest } from "../util/json.ts";
import type { Question } from "../effects.ts";
import { answerSchema, withoutWords } from "./answer-schema.ts";

const KEPT = 1000;

/** By the text of the schema: the same questions are asked again and again. */
const known = new Map<string, string>();

/** A digest of which answers fit a question, for noticing that another is asked. */
export function answersDigest(question: Question): string {
  const schema = answerSchema(question);
  const text = JSON.stringify(schema);
  const digested = known.get(text);
  if (digested !== undefined) return digested;
  const made = digest(withoutWords(schema));
  if (known.size >= KEPT) known.clear();
  known.set(text, made);
  return made;
}
