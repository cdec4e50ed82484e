/** How a question can be answered where nobody can be asked. Pure. */
import { fieldAsk, outlineOf, type Ask, type FormAsk, type OpenQuestion } from "@photon/core";
import { cleanText } from "./clean-text.ts";
import { wantedFor } from "./wanted.ts";

/** Options, and fields, that are named. */
const MAX_NAMED = 10;

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

/** What would be an answer: "a whole number, 1 to 30"; for a url, where to go; for a form, its fields. */
export function wantedInWords(ask: Ask): string {
  if (ask.ask === "form")
    return [`JSON on one line, ${outlineOf(ask.schema)}`, ...fieldsInWords(ask)].join("; ");
  const address = ask.ask === "url" ? ask.url : "";
  return [wantedFor(ask, false), choices(ask), address].filter((part) => part !== "").join("; ");
}

/** "email: an email address", of the fields of which there is something to say. */
function fieldsInWords({ schema: { properties, required = [] } }: FormAsk): readonly string[] {
  const named = Object.entries(properties).slice(0, MAX_NAMED);
  return named.flatMap(([name, field]) => {
    const ask = fieldAsk(name, field);
    const words = [wantedFor(ask, !required.includes(name)), choices(ask)].filter((part) => part !== "");
    return words.length === 0 ? [] : [`${name}: ${words.join(", ")}`];
  });
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
  const values = ask.options.slice(0, MAX_NAMED).map(({ value }) => cleanText(value));
  const how = ask.ask === "select" ? "one of" : "out of";
  return `${how} ${values.join(", ")}${ask.options.length > values.length ? ", …" : ""}`;
}
