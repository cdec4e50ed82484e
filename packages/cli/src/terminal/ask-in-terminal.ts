/**
 * Puts one question to the person at the terminal.
 *
 *   1. What was typed is checked by core's own check before it is sent, so the prompt stays open until it fits.
 *   2. To decline and to cancel are two things at every prompt.
 *   3. What a terminal cannot answer it says it does not support.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { checkAnswer, type Ask, type OpenQuestion, type Reply } from "@photon/core";
import { askField } from "./prompts/ask-field.ts";
import { askFile } from "./prompts/ask-file.ts";
import { askForm, withSuggestions } from "./prompts/ask-form.ts";
import { askSecret } from "./prompts/ask-secret.ts";
import { askUrl } from "./prompts/ask-url.ts";
import type { Field } from "./prompts/field.ts";
import { hintOf } from "./hint.ts";
import { sentenceOf } from "./scene.ts";
import type { Terminal } from "./terminal.ts";

export async function askInTerminal(
  question: OpenQuestion,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Reply> {
  const known = answerWithoutAsking(question, terminal.cwd);
  if (known !== undefined || question.emit !== "ask") return known ?? { action: "cancel" };
  const clack = await import("@clack/prompts");
  const hint = hintOf(question);
  if (hint !== undefined) clack.log.warn(hint, { output: terminal.output });
  const check = async (value: unknown): Promise<string | undefined> => {
    const verdict = await checkAnswer(question, value);
    return "problem" in verdict ? sentenceOf(verdict.problem) : undefined;
  };
  return ask(question, { scene: { clack, terminal, signal }, check, isOptional: false });
}

/** What a terminal answers by itself: it has a folder, and no model. */
export function answerWithoutAsking(question: OpenQuestion, cwd: string): Reply | undefined {
  if (question.emit === "sample") return { action: "unsupported", reason: "there is no model in a terminal" };
  if (question.emit === "roots")
    return { action: "accept", value: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] };
  return undefined;
}

function ask(question: Ask & Pick<OpenQuestion, "attempt">, field: Field): Promise<Reply> {
  switch (question.ask) {
    case "secret":
      return askSecret(question, field);
    case "file":
      return askFile(question, field);
    case "form":
      // When it is asked again, what was answered stands in its fields already.
      return askForm(question.attempt === 1 ? withSuggestions(question) : question, field);
    case "url":
      return askUrl(question, field);
    default:
      return askField(question, field);
  }
}
