/**
 * A small host for the terminal: it prints emits and questions to stderr, reads an answer from each line of stdin,
 * and prints the tool's result to stdout.
 *
 * The end of stdin cancels the open question, so that the program never hangs.
 */
import { createInterface } from "node:readline";
import { run, type Emit, type OpenQuestion, type Reply, type Tool } from "@photon/core";

/** Runs a tool, and asks the user at the terminal. */
export async function runInTerminal(tool: Tool<never>, input: unknown): Promise<void> {
  const reader = createInterface({ input: process.stdin });
  const lines = reader[Symbol.asyncIterator]();
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort(new Error("Interrupted.")));
  try {
    const result = await run(tool, input, {
      emit: (effect) => printLine(formatEmit(effect)),
      async ask(question) {
        process.stderr.write(formatPrompt(question));
        const line = await lines.next();
        return line.done === true ? { action: "cancel" } : parseReply(question, line.value.trim());
      },
      signal: interrupt.signal,
    });
    console.log(typeof result === "string" ? result : JSON.stringify(result, null, 2));
  } catch (error) {
    printLine(error instanceof Error ? error.message : String(error));
    process.exitCode = interrupt.signal.aborted ? 130 : 1;
  } finally {
    reader.close();
  }
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function formatEmit(effect: Emit): string {
  switch (effect.emit) {
    case "status":
      return `· ${effect.message}`;
    case "progress":
      return `· ${Math.round(effect.value * 100)} % ${effect.message ?? ""}`;
    case "log":
      return `[${effect.level}] ${JSON.stringify(effect.data)}`;
    case "artifact":
      return `+ ${effect.content.type}`;
    case "stream":
      return effect.text;
    default:
      return effect satisfies never;
  }
}

function formatPrompt(question: OpenQuestion): string {
  const { hint } = question;
  // Set when the question is asked again: what was wrong with the previous answer.
  const problem = hint === undefined ? "" : `  The answer ${hint}.\n`;
  if (question.emit !== "ask") return `${problem}? ${question.emit} `;
  const choices = "options" in question ? ` (${question.options.map(({ value }) => value).join(", ")})` : "";
  const yesNo = question.ask === "confirm" ? " (y/n)" : "";
  return `${problem}? ${question.message}${choices}${yesNo} `;
}

function parseYesOrNo(line: string): unknown {
  if (/^y(es)?$/i.test(line)) return true;
  return /^no?$/i.test(line) ? false : line;
}

/** The reply that a typed line stands for. An empty line declines. */
function parseReply(question: OpenQuestion, line: string): Reply {
  if (line === "") return { action: "decline" };
  const kind = question.emit === "ask" ? question.ask : question.emit;
  switch (kind) {
    case "number":
    case "rating":
      // Text that is not a number is sent as it is: Photon's validation rejects it, and says why.
      return { action: "accept", value: /^[+-]?\d+(\.\d+)?$/.test(line) ? Number(line) : line };
    case "confirm":
      return { action: "accept", value: parseYesOrNo(line) };
    case "multiselect":
      return { action: "accept", value: line.split(",").map((one) => one.trim()) };
    case "text":
    case "select":
    case "date":
      return { action: "accept", value: line };
    default:
      return { action: "unsupported", reason: `this terminal has no way to ask for a ${kind}` };
  }
}
