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
  type Timeout,
  type Tool,
} from "@photon/core";
import type { HostFlags } from "./run-flags.ts";
import { createAsker, openHost, type TerminalHost } from "./terminal-host.ts";
import type { TerminalSession } from "./terminal-session.ts";

const client: Client = {
  name: "photon",
  version: "",
  can: { form: true, url: true, sample: false, roots: true },
};

/** With the time limit of questions, which `photon call` leaves to the server. */
export type RunToolOptions = HostFlags & { readonly askTimeout: Timeout | undefined };

/** Runs a tool with a checked input; resolves to the exit code. */
export async function runTool(
  tool: Tool<never>,
  input: never,
  options: RunToolOptions,
  session: TerminalSession,
): Promise<number> {
  diagnoseEffects();
  const opened = await openHost(options, session);
  const { host, artifacts } = opened;
  const { reporter, signals } = session;
  const report = (error: unknown): void => host.emits.print(reporter.sentence(error), "red");
  try {
    const ended = await runToTheEnd(tool, input, host, options, report);
    const result = await resultOf(tool, ended);
    opened.stop();
    return await reporter.reportResult(result, ended, artifacts);
  } catch (error) {
    opened.stop();
    return await reporter.reportFailure(errorResult(error), error, signals.isInterrupted(error));
  } finally {
    await opened.close();
  }
}

/** Runs the tool, and again after the person has opened the web addresses that it requires first. */
async function runToTheEnd(
  ...[tool, input, host, ...how]: Parameters<typeof drive>
): Promise<RunCompleted<unknown>> {
  // Counted over all of these runs, so that each answer is used once.
  const attempts = new Map<string, number>();
  for (;;) {
    try {
      return await drive(tool, input, host, ...how);
    } catch (error) {
      if (!(error instanceof UrlRequired) || !(await askToOpenUrls(error, host, attempts))) throw error;
    }
  }
}

/** Asks the user to open the URLs that the tool requires; returns whether all were opened. */
async function askToOpenUrls(
  { urls }: UrlRequired,
  host: TerminalHost,
  attempts: Map<string, number>,
): Promise<boolean> {
  for (const [index, { message, url }] of urls.entries()) {
    const key = `url-${index + 1}`;
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const question = { emit: "ask", ask: "url", message, url, key, attempt } as const;
    const reply = await createAsker(host)(question, { signal: host.signals.run });
    if (reply?.action !== "accept") return false;
  }
  return urls.length > 0;
}

async function drive(
  tool: Tool<never>,
  input: never,
  host: TerminalHost,
  { askTimeout }: RunToolOptions,
  report: (error: unknown) => void,
): Promise<RunCompleted<unknown>> {
  const signal = host.signals.run;
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
    const ask = createAsker(host);
    let step = await running.next();
    while (!step.done) step = await running.next(await askNext(step.round, systemClock, ask, signal));
    return step;
  } finally {
    signal.removeEventListener("abort", close);
    await running.close();
  }
}
