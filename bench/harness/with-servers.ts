/** Starts everyone of a setting, connects to each, and leaves nobody behind. */
import type { Caller } from "../client/caller.ts";
import { connectTo } from "../client/connect.ts";
import { inTime } from "./in-time.ts";
import type { Setting } from "./plan.ts";
import { startServer, type Running, type StartOptions } from "./start-server.ts";

export interface Ready {
  readonly label: string;
  readonly isEcho: boolean;
  readonly server: Running;
  readonly caller: Caller;
}

export interface WithOptions extends StartOptions {
  /** Whether questions are left without an answer. */
  readonly isPatient?: boolean;
}

export async function withServers<Result>(
  { transport, revision, who }: Setting,
  options: WithOptions,
  work: (ready: readonly Ready[]) => Promise<Result>,
): Promise<Result> {
  const started: Running[] = [];
  const { isPatient = false } = options;
  try {
    const ready: Ready[] = [];
    for (const contestant of who) {
      const { label, isEcho = false, asksAside = false } = contestant;
      const starting = startServer(contestant, transport, options);
      const server = await inTime(starting, () => `${label} did not start over ${transport}`);
      started.push(server);
      const manner = { transport, revision, isPatient, isEcho, asksAside };
      const problem = (): string => `${label} did not answer over ${transport} (${server.lastWords()})`;
      const caller = await inTime(connectTo(server, manner), problem);
      ready.push({ label, isEcho, server, caller });
    }
    return await work(ready);
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}
