/** How a question can be answered where nobody can be asked. Pure. */
import type { Ask, OpenQuestion } from "@photon/core";
import { cleanText } from "./clean-text.ts";
import { wantedFor } from "./wanted.ts";

/** One sentence that names the question, its id, and the ways to answer it. */
export function howToAnswer(question: OpenQuestion): string {
  if (question.emit !== "ask") return `There is nobody to answer ${question.emit} (${question.key}).`;
  const { key } = question;
  const needed = `An answer is needed to ${JSON.stringify(cleanText(question.message))} (${key})`;
  const wanted = wantedInWords(question);
  const told = `${needed}${wanted === "" ? "" : `: ${wanted}`}.`;
  if (question.ask === "confirm" && question.dangerous === true)
    return `${told} It is dangerous: run it in a terminal, or say ${flag(key, "yes")}.`;
  // What stands on a command line can be read by everybody on the machine.
  if (question.ask === "secret")
    return `${told} It is a secret: run it in a terminal, put it in a file for --answers, or give it as a line of stdin.`;
  return `${told} Give it as ${flag(key, placeholder(question))}, in a file for --answers, or as a line of stdin.`;
}

/** What would be an answer: "a whole number, 1 to 30"; for a url, where to go. */
export function wantedInWords(ask: Ask): string {
  const address = ask.ask === "url" ? ask.url : "";
  return [wantedFor(ask, false), choices(ask), address].filter((part) => part !== "").join("; ");
}

function flag(key: string, value: string): string {
  const plain = /^[A-Za-z0-9_.-]+$/.test(key);
  return `--answer ${plain ? `${key}=${value}` : `'${key}=${value}'`}`;
}

function placeholder(ask: Ask): string {
  switch (ask.ask) {
    case "confirm":
      return "yes";
    case "select":
    case "multiselect":
      return ask.options[0]?.value ?? "…";
    case "form":
      return "'{…}'";
    case "url":
      return "done";
    case "file":
      return "path";
    default:
      return "…";
  }
}

function choices(ask: Ask): string {
  if (ask.ask !== "select" && ask.ask !== "multiselect") return "";
  const values = ask.options.slice(0, 10).map(({ value }) => cleanText(value));
  const how = ask.ask === "select" ? "one of" : "out of";
  return `${how} ${values.join(", ")}${ask.options.length > values.length ? ", …" : ""}`;
}
