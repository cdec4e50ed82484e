/** What is open in an inbox, for people. Pure. */
import type { InboxQuestion, WaitingRun } from "@photon/server";
import { oneLine } from "../terminal/clean-text.ts";
import { wantedInWords } from "../terminal/how-to-answer.ts";
import type { Paint } from "../terminal/paint.ts";

/** One run: what was called, for whom and since when, and with what; then its questions. */
export function runText(waiting: WaitingRun, now: number, paint: Paint): string {
  const { run, tool, principal, since, questions } = waiting;
  const whose = principal === "" ? "" : `, for ${oneLine(principal)}`;
  return [
    `${paint.cyan(oneLine(tool))}  ${run}  ${paint.dim(`asked ${spanOf(now - since)} ago${whose}`)}`,
    ...callText(waiting).map((line) => `  ${paint.dim(line)}`),
    ...questions.map((question) => `  ${questionText(question, now, paint)}`),
    "",
  ].join("\n");
}

/** What the tool is, and what it was called with: without that, "Delete it?" cannot be answered. */
function callText({ title, description, input }: WaitingRun): readonly string[] {
  const words = [title, description].flatMap((text) => (text === undefined ? [] : [oneLine(text)]));
  return [
    ...(words.length === 0 ? [] : [words.join(": ")]),
    ...(input === undefined ? [] : [`input: ${oneLine(JSON.stringify(input))}`]),
  ];
}

function questionText(question: InboxQuestion, now: number, paint: Paint): string {
  const { key, message, expires } = question;
  const wanted = pageWords(question) ?? wantedInWords(question);
  const end = expires > now ? `expires in ${spanOf(expires - now)}` : "expired";
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  const about = [isDangerous ? "dangerous" : "", wanted, end].filter((part) => part !== "").join("; ");
  return `${oneLine(key)}: ${oneLine(message)} ${paint.dim(`(${oneLine(about)})`)}`;
}

/** Of what is answered on a page of the server's own: how somebody gets there. The playground says the same. */
export function pageWords({ ask }: InboxQuestion): string | undefined {
  if (ask !== "secret" && ask !== "file") return undefined;
  return `a ${ask} is given on a page of the server, and the client that called leads there`;
}

/** Names of lengths of time, each with what it is rounded to: a second short of seven days is seven days. */
const UNITS = [
  ["day", 86_400_000, 3_600_000],
  ["hour", 3_600_000, 60_000],
  ["minute", 60_000, 1000],
  ["second", 1000, 1000],
] as const;

/** A length of time, as people say it. */
function spanOf(milliseconds: number): string {
  for (const [name, length, step] of UNITS) {
    const rounded = Math.round(milliseconds / step) * step;
    const count = Math.floor(rounded / length);
    if (count > 0) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "0 seconds";
}
