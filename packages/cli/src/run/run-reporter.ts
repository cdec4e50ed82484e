/** Reports how a run ended: the result on stdout, sentences on stderr, and the exit code. */
import { inspect } from "node:util";
import { PhotonError, type Content, type RunCompleted, type Result } from "@photon/core";
import { type CommandIO, write } from "../io.ts";
import type { Artifacts } from "../terminal/artifacts.ts";
import { resultJson, resultText } from "../terminal/result.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { colorsFor } from "../terminal/colors.ts";
import { cleanText } from "../terminal/text.ts";

interface ReportOptions {
  readonly json: boolean;
  readonly verbose: boolean;
}

export class RunReporter {
  readonly #io: CommandIO;
  readonly #terminal: Terminal;
  readonly #options: ReportOptions;

  constructor(io: CommandIO, terminal: Terminal, options: ReportOptions) {
    this.#io = io;
    this.#terminal = terminal;
    this.#options = options;
  }

  /** The command cannot be carried out. */
  reportUsageError(error: unknown, isInterrupted: boolean): number {
    this.report(error);
    return isInterrupted ? 130 : 2;
  }

  async reportResult(result: Result, ended: RunCompleted<unknown>, artifacts: Artifacts): Promise<number> {
    if (this.#options.json) await write(this.#io.output, resultJson(result));
    else if (result.isError) this.#print(textIn(result.content.slice(ended.artifacts.length)));
    else await this.#show(result, ended, artifacts);
    return result.isError ? 1 : 0;
  }

  async reportFailure(result: Result, error: unknown, isInterrupted: boolean): Promise<number> {
    if (this.#options.json) await write(this.#io.output, resultJson(result));
    this.report(error);
    return isInterrupted ? 130 : 1;
  }

  /** Writes an error as a sentence; with `--verbose`, as its stack. */
  report(error: unknown): void {
    this.#print(this.sentence(error));
  }

  sentence(error: unknown): string {
    const { verbose } = this.#options;
    return [error, ...causesOf(error)]
      .map((one) => (verbose && one instanceof Error ? (one.stack ?? one.message) : textOf(one)))
      .join("\nCaused by: ");
  }

  async #show(result: Result, ended: RunCompleted<unknown>, artifacts: Artifacts): Promise<void> {
    // Artifacts were shown when they came.
    const content = result.content.slice(ended.artifacts.length);
    const { output } = this.#io;
    const isScreen = output.isTTY === true;
    // What was streamed to the same screen has been read.
    const isSeen = isScreen && this.#terminal.isScreen && ended.value === undefined;
    const colors = colorsFor(output, this.#io.env);
    if (!isSeen) await write(output, resultText(content, result.structured, { isScreen, colors }));
    for (const block of content.filter(isNoText)) {
      for (const line of await artifacts.saveOrDescribe(block)) this.#terminal.output.write(`${line}\n`);
    }
  }

  #print(text: string): void {
    const { output, colors } = this.#terminal;
    output.write(`${colors.red(cleanText(text))}\n`);
  }
}

const isNoText = (block: Content): boolean =>
  block.type !== "text" && !(block.type === "resource" && block.data === undefined);

/** The causes of an error that a tool threw. The sentences of Photon's own errors have what matters of theirs. */
function causesOf(error: unknown): readonly unknown[] {
  const causes = new Set<unknown>([error]);
  let last = error;
  while (last instanceof Error && !(last instanceof PhotonError) && last.cause !== undefined) {
    last = last.cause;
    if (causes.has(last)) break;
    causes.add(last);
  }
  return [...causes].slice(1);
}

function textOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "string" ? thrown : inspect(thrown);
}

const textIn = (content: readonly Content[]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
