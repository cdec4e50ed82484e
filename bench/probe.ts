/**
 * Loaded into every server before its program (`--import`): reports the process's usage and CPU profiles to the bench, over IPC.
 *
 * The servers contain no code for the bench, and exit when the bench does.
 */
import type { Profiler, Session } from "node:inspector/promises";
import type { ProfileEntry } from "./harness/profile.ts";

/** The CPU and memory of a process. */
export interface ProcessUsage {
  /** CPU of all threads since the process started, in microseconds. */
  readonly cpu: number;
  /** This and the following are in bytes. */
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}

/** A message of the bench. "usage-after-gc" collects garbage first. */
export type ProbeRequest = "usage" | "usage-after-gc" | "start-profile" | "stop-profile";

/** The response, with one of these. */
export interface ProbeResponse {
  readonly usage?: ProcessUsage;
  readonly isProfiling?: true;
  readonly entries?: readonly ProfileEntry[];
}

const SAMPLING_INTERVAL_MICROSECONDS = 200;

let session: Session | undefined;

process.on("message", (message) => void onRequest(message));
process.on("disconnect", () => process.exit());
// The channel does not keep the process alive.
process.channel?.unref();

async function onRequest(request: unknown): Promise<void> {
  if (request === "usage" || request === "usage-after-gc") {
    respond({ usage: usage(request === "usage-after-gc") });
  } else if (request === "start-profile") {
    await startProfile();
    respond({ isProfiling: true });
  } else if (request === "stop-profile" && session !== undefined) {
    const { profile } = await session.post("Profiler.stop");
    respond({ entries: entriesOf(profile) });
  }
}

const respond = (response: ProbeResponse): void => void process.send?.(response);

function usage(afterGc: boolean): ProcessUsage {
  if (afterGc) for (let times = 0; times < 4; times++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cpu: user + system, resident: rss, heap: heapUsed, external };
}

async function startProfile(): Promise<void> {
  if (session === undefined) {
    // Loaded only when needed, because it takes memory, and memory is measured, too.
    const inspector = await import("node:inspector/promises");
    session = new inspector.Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", {
      interval: SAMPLING_INTERVAL_MICROSECONDS,
    });
  }
  await session.post("Profiler.start");
}

/** The self time of each function, without idle time. */
function entriesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): readonly ProfileEntry[] {
  const spent = new Map<number, number>();
  for (const [index, id] of samples.entries()) spent.set(id, (spent.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  return nodes
    .filter(({ id, callFrame }) => spent.has(id) && callFrame.functionName !== "(idle)")
    .map(({ id, callFrame }) => ({
      url: callFrame.url,
      line: callFrame.lineNumber,
      column: callFrame.columnNumber,
      name: callFrame.functionName,
      isScript: callFrame.scriptId !== "0",
      microseconds: spent.get(id) ?? 0,
    }));
}
