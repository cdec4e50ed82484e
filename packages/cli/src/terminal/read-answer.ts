/**
 * What a text stands for, by the kind of the question it answers: from a flag, a file, or a line of stdin.
 *
 * What does not stand for anything of that kind is passed on as it is. It is
 * for the question to say that it does not fit.
 */
import type { Ask, Choice, OpenQuestion, Reply } from "@photon/core";
import { fileAt } from "./file-answer.ts";

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

/** A day; its hyphens may be left out. Whether there is such a day is for the question to say. */
export function dayFrom(text: string): string {
  const trimmed = text.trim();
  return trimmed.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
}

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

/** The value of an option, by its value or its title. */
function valueIn(options: readonly Choice[], text: string): string {
  const trimmed = text.trim();
  const wanted = trimmed.toLowerCase();
  const found =
    options.find(({ value }) => value === trimmed) ??
    options.find(({ title }) => title.toLowerCase() === wanted) ??
    options.find(({ value }) => value.toLowerCase() === wanted);
  return found?.value ?? trimmed;
}

/** Several values: as JSON, or with commas between them. */
function valuesIn(options: readonly Choice[], text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const whole = valueIn(options, trimmed);
  if (options.some(({ value }) => value === whole)) return [whole];
  const list = trimmed.startsWith("[") ? jsonFrom(trimmed) : undefined;
  if (Array.isArray(list)) return list.map((one: unknown) => valueIn(options, String(one)));
  return trimmed.split(",").map((one) => valueIn(options, one));
}

/** What a text says as JSON; the text itself where it says nothing. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The reply that a text stands for. `tell` hears what is wrong with a file, which core cannot look at. */
export async function replyFrom(
  question: OpenQuestion,
  text: string,
  cwd: string,
  tell: (problem: string) => void,
): Promise<Reply> {
  if (question.emit !== "ask") return { action: "accept", value: jsonFrom(text) };
  if (question.ask === "url")
    return { action: yesOrNo(text) === true || text === "done" ? "accept" : "decline" };
  if (question.ask !== "file") return { action: "accept", value: valueFrom(question, text) };
  const found = await fileAt(text, question, cwd);
  if ("value" in found) return { action: "accept", value: found.value };
  tell(found.problem);
  return { action: "accept", value: text };
}

function valueFrom(ask: Exclude<Ask, { ask: "url" | "file" }>, text: string): unknown {
  switch (ask.ask) {
    case "text":
    case "secret":
      return text;
    case "number":
      return numberFrom(text);
    case "confirm":
      return yesOrNo(text);
    case "select":
      return valueIn(ask.options, text);
    case "multiselect":
      return valuesIn(ask.options, text);
    case "date":
      return ask.time === true ? dateTimeFrom(text) : dayFrom(text);
    case "form":
      return jsonFrom(text);
    default:
      return ask satisfies never;
  }
}
