/** Texts about a question: the expected answer, the last problem, how to answer it. Pure. */
import { expectedAnswer, fieldAsk, outlineOf, type Ask, type FormAsk, type OpenQuestion } from "@photon/core";
import { cleanText } from "./text.ts";

/** How many options or fields are named. */
const MAX_NAMED = 10;

/** "a whole number, 1 to 30"; empty if the prompt shows it. */
export function expectedFor(ask: Ask, isOptional: boolean): string {
  const parts = [...expectedAnswer(ask)];
  if (ask.ask === "secret") parts.push("it is not shown");
  if (ask.ask === "date" && ask.time === true) parts.splice(1, 0, "without a zone it is local time");
  if (isOptional) parts.push("may be left empty");
  return parts.join(", ");
}

/** For a question that cannot be prompted for: its id, and the flags that answer it. */
export function answerHelp(question: OpenQuestion): string {
  if (question.emit !== "ask") return `A terminal cannot answer ${question.emit} (${question.key}).`;
  const { key } = question;
  const needed = `An answer is needed to ${JSON.stringify(cleanText(question.message))} (${key})`;
  const expected = describeExpected(question);
  const problem = `${needed}${expected === "" ? "" : `: ${expected}`}.`;
  if (question.ask === "confirm" && question.dangerous === true)
    return `${problem} It is dangerous: run it in a terminal, or add ${flag(key, "yes")}.`;
  // Other users of the machine can read a command line.
  if (question.ask === "secret")
    return `${problem} It is a secret: run it in a terminal, put it in a file for --answers, or give it as a line of stdin.`;
  return `${problem} Give it as ${flag(key, placeholder(question))}, in a file for --answers, or as a line of stdin.`;
}

/** The expected answer with its options; for a URL, the address; for a form, its fields. */
export function describeExpected(ask: Ask): string {
  if (ask.ask === "form")
    return [`JSON on one line, ${outlineOf(ask.schema)}`, ...describeFields(ask)].join("; ");
  const address = ask.ask === "url" ? ask.url : "";
  return [expectedFor(ask, false), choices(ask), address].filter((part) => part !== "").join("; ");
}

/** "email: an email address", for the fields that expect something specific. */
function describeFields({ schema: { properties, required = [] } }: FormAsk): readonly string[] {
  const named = Object.entries(properties).slice(0, MAX_NAMED);
  return named.flatMap(([name, field]) => {
    const ask = fieldAsk(name, field);
    const parts = [expectedFor(ask, !required.includes(name)), choices(ask)].filter((part) => part !== "");
    return parts.length === 0 ? [] : [`${name}: ${parts.join(", ")}`];
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

/** The problem of the last answer, and the attempts that are left if that is known; undefined at the first attempt. */
export function hintOf(question: OpenQuestion): string | undefined {
  const { hint, attempt } = question;
  if (hint === undefined) return undefined;
  const problem = `The last answer ${cleanText(hint)}.`;
  const retries = question.emit === "ask" ? question.retries : 0;
  // Servers that are not Photon do not send it.
  if (retries === undefined) return problem;
  const left = retries - attempt + 2;
  return `${problem} ${left === 1 ? "This is the last attempt" : `${left} attempts left`}.`;
}
