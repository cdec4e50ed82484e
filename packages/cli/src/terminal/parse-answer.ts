/** Parses answers from flags, files, lines of stdin and prompts. Core parses the text, by the kind of the question. */
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import {
  checkAnswer,
  describeSize,
  InvalidAnswer,
  jsonFrom,
  readAnswer,
  yesOrNo,
  type Ask,
  type FileAsk,
  type OpenQuestion,
  type Reply,
  type UrlAsk,
  type Verdict,
} from "@photon/core";
import { mediaTypeOf } from "./artifacts.ts";
import { cleanText, sentenceOf } from "./text.ts";

/** A date and time. Without a zone, it is in the zone of this machine. */
export function parseDateTime(text: string): string {
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

/** Parses a text to a reply. `onProblem` receives the problem of a file or a visit, which core cannot check. */
export async function parseReply(
  question: OpenQuestion,
  text: string,
  cwd: string,
  onProblem: (problem: string) => void,
): Promise<Reply | "refused"> {
  if (question.emit !== "ask") return { action: "accept", value: jsonFrom(text) };
  if (question.ask === "url")
    return parseUrlReply(question, text === "done" ? true : yesOrNo(text), onProblem);
  if (question.ask !== "file") return { action: "accept", value: parseValue(question, text) };
  const found = await fileAnswer(text, question, cwd);
  if ("value" in found) return { action: "accept", value: found.value };
  onProblem(found.problem);
  return { action: "accept", value: text };
}

/**
 * The reply to a visit: yes or no. Any other answer may be the secret that is to be entered on the page, so the problem
 * does not contain it.
 */
export function parseUrlReply(
  { key, message, url }: UrlAsk & Pick<OpenQuestion, "key">,
  isDone: unknown,
  onProblem: (problem: string) => void,
): Reply | "refused" {
  if (typeof isDone === "boolean") return { action: isDone ? "accept" : "decline" };
  const problem = `must be yes or no; open ${url} to answer there`;
  onProblem(cleanText(new InvalidAnswer(key, message, problem).message));
  return "refused";
}

/** Parses a text to an answer. Core does not know the zone of this machine. */
export function parseValue(ask: Exclude<Ask, { ask: "url" | "file" }>, text: string): unknown {
  return ask.ask === "date" && ask.time === true ? parseDateTime(text) : readAnswer(ask, text);
}

/** The file at a path as an answer, if it exists and has the expected size and type. */
export async function fileAnswer(path: string, ask: FileAsk, cwd: string): Promise<Verdict> {
  const full = resolve(cwd, path);
  const found = await stat(full).catch(() => undefined);
  if (found === undefined) return { problem: `There is no file ${path}.` };
  if (!found.isFile()) return { problem: `${path} is not a file.` };
  if (ask.maxBytes !== undefined && found.size > ask.maxBytes)
    return {
      problem: `${path} has ${describeSize(found.size)}; the limit is ${describeSize(ask.maxBytes)}.`,
    };
  const name = basename(full);
  const value = { name, type: mediaTypeOf(name), path: full };
  const verdict = await checkAnswer(ask, value);
  return "problem" in verdict ? { problem: sentenceOf(verdict.problem) } : { value };
}
