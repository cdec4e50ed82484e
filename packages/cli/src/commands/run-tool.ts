/** One run of a tool, with a terminal as its host. */
import {
  askNext,
  diagnoseEffects,
  errorResult,
  resultOf,
  startRun,
  systemClock,
  UrlRequired,
  type Client,
  type RunCompleted,
  type Tool,
} from "@photon/core";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandIO } from "../io.ts";
import type { Interruptions } from "./interruptions.ts";
import { openHost } from "./open-host.ts";
import type { RunOptions } from "./run-flags.ts";
import type { Telling } from "./telling.ts";
import { askOf, type TerminalHost } from "./terminal-host.ts";

/** What a terminal can do for a tool. */
const client: Client = {
  name: "photon",
  version: "",
  can: { form: true, url: true, sample: false, roots: true },
};

/** Where a tool is run. */
export interface Stage {
  readonly io: CommandIO;
  readonly terminal: Terminal;
  readonly telling: Telling;
  readonly interruptions: Interruptions;
}

/** Runs a tool with an input that was checked; the exit code. */
export async function runTool(
  tool: Tool<never>,
  input: never,
  options: RunOptions,
  stage: Stage,
): Promise<number> {
  diagnoseEffects();
  const opened = await openHost(options, stage);
  const { host, artifacts } = opened;
  const { telling, interruptions } = stage;
  const report = (error: unknown): void => host.emits.print(telling.sentence(error), "red");
  try {
    const ended = await runToTheEnd(tool, input, host, options, report);
    const result = await resultOf(tool, ended);
    opened.stop();
    return await telling.ended(result, ended, artifacts);
  } catch (error) {
    opened.stop();
    return await telling.failed(errorResult(error), error, interruptions.isInterrupted(error));
  } finally {
    await opened.close();
  }
}

/** Runs to the end; again from the start where the tool demanded a visit elsewhere first, and that was made. */
async function runToTheEnd(
  ...[tool, input, host, ...how]: Parameters<typeof drive>
): Promise<RunCompleted<unknown>> {
  // Counted through all runs: an answer is given once, whichever of them asks.
  const attempts = new Map<string, number>();
  for (;;) {
    try {
      return await drive(tool, input, host, ...how);
    } catch (error) {
      if (!(error instanceof UrlRequired) || !(await visited(error, host, attempts))) throw error;
    }
  }
}

/** Whether the person has gone to every address. */
async function visited(
  { urls }: UrlRequired,
  host: TerminalHost,
  attempts: Map<string, number>,
): Promise<boolean> {
  for (const [index, { message, url }] of urls.entries()) {
    const key = `url-${index + 1}`;
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const question = { emit: "ask", ask: "url", message, url, key, attempt } as const;
    const reply = await askOf(host)(question, { signal: host.interruptions.run });
    if (reply?.action !== "accept") return false;
  }
  return urls.length > 0;
}

/** Runs to the end, one question after another. */
async function drive(
  tool: Tool<never>,
  input: never,
  host: TerminalHost,
  { askTimeout }: RunOptions,
  report: (error: unknown) => void,
): Promise<RunCompleted<unknown>> {
  const signal = host.interruptions.run;
  const running = startRun(tool, input, {
    client,
    emit: (effect) => host.emits.emit(effect),
    report,
    ...(askTimeout === undefined ? {} : { askTimeout }),
  });
  const close = (): void => void running.close(signal.reason);
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    const put = askOf(host);
    let turn = await running.next();
    while (!turn.done) turn = await running.next(await askNext(turn.round, systemClock, put, signal));
    return turn;
  } finally {
    signal.removeEventListener("abort", close);
    await running.close();
  }
}
