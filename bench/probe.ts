/**
 * Loaded into every server before its own program: tells the harness, over a channel of their own, what the process has used
 * and where its time goes.
 *
 * So no server knows that it is measured, and none outlives the harness.
 */
import type { Profiler, Session } from "node:inspector/promises";
import type { Spell } from "./harness/profile.ts";
import type { Usage } from "./harness/usage.ts";

/** What the harness says. */
export type ProbeWord = "usage" | "collected" | "profile" | "profiled";

/** What it is answered. */
export interface ProbeAnswer {
  readonly usage?: Usage;
  readonly isProfiled?: true;
  readonly spells?: readonly Spell[];
}

/** In microseconds. */
const INTERVAL = 200;

let session: Session | undefined;

process.on("message", (message) => void hear(message));
process.on("disconnect", () => process.exit());
// A server that has nothing else to do may end.
process.channel?.unref();

async function hear(word: unknown): Promise<void> {
  if (word === "usage" || word === "collected") tell({ usage: usage(word === "collected") });
  else if (word === "profile") {
    await profile();
    tell({ isProfiled: true });
  } else if (word === "profiled" && session !== undefined) {
    const { profile: taken } = await session.post("Profiler.stop");
    tell({ spells: spellsIn(taken) });
  }
}

const tell = (answer: ProbeAnswer): void => void process.send?.(answer);

function usage(isCollected: boolean): Usage {
  if (isCollected) for (let times = 0; times < 4; times++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cpu: user + system, resident: rss, heap: heapUsed, external };
}

async function profile(): Promise<void> {
  if (session === undefined) {
    // Only where it is wanted: what is loaded takes up memory, which is measured, too.
    const inspector = await import("node:inspector/promises");
    session = new inspector.Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: INTERVAL });
  }
  await session.post("Profiler.start");
}

/** The time that each function has spent itself, while the process did anything. */
function spellsIn({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): readonly Spell[] {
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
