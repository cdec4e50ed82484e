/** The reply that a text stands for, from a flag, a file, or a line of stdin. Core reads the text, by the kind of the question. */
import {
  InvalidAnswer,
  jsonFrom,
  readAnswer,
  yesOrNo,
  type Ask,
  type OpenQuestion,
  type Reply,
  type UrlAsk,
} from "@photon/core";
import { cleanText } from "./clean-text.ts";
import { fileAt } from "./file-answer.ts";

/** A moment. One without a zone is meant here, where the person is. */
export function dateTimeFrom(text: string): string {
  const trimmed = text.trim();
  const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(trimmed);
  if (local === null) return trimmed;
  const [, day = "", time = "", seconds = ":00"] = local;
  const minutes = -new Date(`${day}T${time}${seconds}`).getTimezoneOffset();
  if (Number.isNaN(minutes)) return trimmed;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
  return `${day}T${time}${seconds}${minutes === 0 ? "Z" : zone}`;
}

/** The reply that a text stands for. `tell` hears what is wrong with a file, or a visit, which core cannot look at. */
export async function replyFrom(
  question: OpenQuestion,
  text: string,
  cwd: string,
  tell: (problem: string) => void,
): Promise<Reply | "refused"> {
  if (question.emit !== "ask") return { action: "accept", value: jsonFrom(text) };
  if (question.ask === "url") return visitFrom(question, text === "done" ? true : yesOrNo(text), tell);
  if (question.ask !== "file") return { action: "accept", value: valueFrom(question, text) };
  const found = await fileAt(text, question, cwd);
  if ("value" in found) return { action: "accept", value: found.value };
  tell(found.problem);
  return { action: "accept", value: text };
}

/**
 * The reply to what is done at a web address: yes or no. Anything else may be what was to be given there, such as a
 * secret, so it is not shown.
 */
export function visitFrom(
  { key, message, url }: UrlAsk & Pick<OpenQuestion, "key">,
  isDone: unknown,
  tell: (problem: string) => void,
): Reply | "refused" {
  if (typeof isDone === "boolean") return { action: isDone ? "accept" : "decline" };
  const problem = `must be yes or no; open ${url} to give what the server asks for`;
  tell(cleanText(new InvalidAnswer(key, message, problem).message));
  return "refused";
}

/** The answer that a text is. A date and time without a zone is in the zone of this machine, which core does not know. */
export function valueFrom(ask: Exclude<Ask, { ask: "url" | "file" }>, text: string): unknown {
  return ask.ask === "date" && ask.time === true ? dateTimeFrom(text) : readAnswer(ask, text);
}
