/** The open questions of an inbox as text. Pure. */
import type { InboxQuestion, WaitingRun } from "@photon/server";
import { describeExpected } from "../terminal/question-text.ts";
import type { Colors } from "../terminal/colors.ts";
import { oneLine } from "../terminal/text.ts";

/** One run: the tool, the caller and the time, the input; then its questions. */
export function runText(waiting: WaitingRun, now: number, colors: Colors): string {
  const { run, tool, principal, since, questions } = waiting;
  const caller = principal === "" ? "" : `, for ${oneLine(principal)}`;
  return [
    `${colors.cyan(oneLine(tool))}  ${run}  ${colors.dim(`asked ${spanOf(now - since)} ago${caller}`)}`,
    ...callText(waiting).map((line) => `  ${colors.dim(line)}`),
    ...questions.map((question) => `  ${questionText(question, now, colors)}`),
    "",
  ].join("\n");
}

/** The description of the tool and its input: without them, "Delete it?" cannot be answered. */
function callText({ title, description, input }: WaitingRun): readonly string[] {
  const texts = [title, description].flatMap((text) => (text === undefined ? [] : [oneLine(text)]));
  return [
    ...(texts.length === 0 ? [] : [texts.join(": ")]),
    ...(input === undefined ? [] : [`input: ${oneLine(JSON.stringify(input))}`]),
  ];
}

function questionText(question: InboxQuestion, now: number, colors: Colors): string {
  const { key, message, expires } = question;
  const expected = pageNotice(question) ?? describeExpected(question);
  const end = expires > now ? `expires in ${spanOf(expires - now)}` : "expired";
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  const about = [isDangerous ? "dangerous" : "", expected, end].filter((part) => part !== "").join("; ");
  return `${oneLine(key)}: ${oneLine(message)} ${colors.dim(`(${oneLine(about)})`)}`;
}

/** For a question that is answered on a page of the server: how the user opens it. The playground says the same. */
export function pageNotice({ ask }: InboxQuestion): string | undefined {
  if (ask !== "secret" && ask !== "file") return undefined;
  return `a ${ask} is given on a page of the server, and the client that called leads there`;
}

/** Units of time, each with the length that it is rounded to: a second less than seven days is seven days. */
const UNITS = [
  ["day", 86_400_000, 3_600_000],
  ["hour", 3_600_000, 60_000],
  ["minute", 60_000, 1000],
  ["second", 1000, 1000],
] as const;

/** A length of time in its largest unit: "5 minutes". */
function spanOf(milliseconds: number): string {
  for (const [name, length, step] of UNITS) {
    const rounded = Math.round(milliseconds / step) * step;
    const count = Math.floor(rounded / length);
    if (count > 0) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "0 seconds";
}
