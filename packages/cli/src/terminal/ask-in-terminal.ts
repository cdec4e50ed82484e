/**
 * Asks the person at the terminal one question.
 *
 *   1. Core checks the answer before it is sent; the prompt stays open until it fits.
 *   2. Every prompt can be declined and cancelled, which are different replies.
 *   3. The reply to requests that a terminal cannot answer is `unsupported`.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { checkAnswer, type Ask, type OpenQuestion, type Reply } from "@photon/core";
import type { PromptOptions } from "./run-prompt.ts";
import { askField, askFile, askSecret, askUrl } from "./prompts/basic.ts";
import { askForm, withSuggestions } from "./prompts/form.ts";
import { hintOf } from "./question-text.ts";
import type { Terminal } from "./terminal.ts";
import { sentenceOf } from "./text.ts";

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
  const context = { clack, terminal, signal, deadline: question.deadline };
  return ask(question, { context, check, isOptional: false });
}

/** The replies that need no person: a terminal has a folder, and no model. */
export function answerWithoutAsking(question: OpenQuestion, cwd: string): Reply | undefined {
  if (question.emit === "sample") return { action: "unsupported", reason: "there is no model in a terminal" };
  if (question.emit === "roots")
    return { action: "accept", value: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] };
  return undefined;
}

function ask(question: Ask & Pick<OpenQuestion, "attempt">, options: PromptOptions): Promise<Reply> {
  switch (question.ask) {
    case "secret":
      return askSecret(question, options);
    case "file":
      return askFile(question, options);
    case "form":
      // At another attempt, the fields already contain the last answer.
      return askForm(question.attempt === 1 ? withSuggestions(question) : question, options);
    case "url":
      return askUrl(question, options);
    default:
      return askField(question, options);
  }
}
