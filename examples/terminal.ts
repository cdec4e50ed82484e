/**
 * A host for the terminal, in a few lines: emits go to stderr, questions are
 * answered by lines of stdin, what the tool returned goes to stdout.
 *
 * Where stdin ends, the question is cancelled; nothing hangs.
 */
import { createInterface } from "node:readline";
import { run, type Emit, type OpenQuestion, type Reply, type Tool } from "@photon/core";

/** Runs a tool with the person at the terminal. */
export async function runInTerminal(tool: Tool<never>, input: unknown): Promise<void> {
  const reader = createInterface({ input: process.stdin });
  const lines = reader[Symbol.asyncIterator]();
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort(new Error("Interrupted.")));
  try {
    const result = await run(tool, input, {
      emit: (effect) => say(wordsFor(effect)),
      async ask(question) {
        process.stderr.write(promptFor(question));
        const line = await lines.next();
        return line.done === true ? { action: "cancel" } : replyFrom(question, line.value.trim());
      },
      signal: interrupt.signal,
    });
    console.log(typeof result === "string" ? result : JSON.stringify(result, null, 2));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = interrupt.signal.aborted ? 130 : 1;
  } finally {
    reader.close();
  }
}

function say(words: string): void {
  process.stderr.write(`${words}\n`);
}

function wordsFor(effect: Emit): string {
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

function promptFor(question: OpenQuestion): string {
  const { hint } = question;
  const again = hint === undefined ? "" : `  The answer ${hint}.\n`;
  if (question.emit !== "ask") return `${again}? ${question.emit} `;
  const choices = "options" in question ? ` (${question.options.map(({ value }) => value).join(", ")})` : "";
  const yesNo = question.ask === "confirm" ? " (y/n)" : "";
  return `${again}? ${question.message}${choices}${yesNo} `;
}

function yesOrNo(line: string): unknown {
  if (/^y(es)?$/i.test(line)) return true;
  return /^no?$/i.test(line) ? false : line;
}

/** A line of text as an answer. An empty line declines. */
function replyFrom(question: OpenQuestion, line: string): Reply {
  if (line === "") return { action: "decline" };
  const kind = question.emit === "ask" ? question.ask : question.emit;
  switch (kind) {
    case "number":
    case "rating":
      // What is no number is passed on as it is; the tool is told what is wrong with it.
      return { action: "accept", value: /^[+-]?\d+(\.\d+)?$/.test(line) ? Number(line) : line };
    case "confirm":
      return { action: "accept", value: yesOrNo(line) };
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
