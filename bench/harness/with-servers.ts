/** Starts the servers of a scenario, connects a client to each, and stops them in any case. */
import { connectClient } from "../client/connect.ts";
import type { LoadClient } from "../client/load-client.ts";
import type { Scenario } from "./settings.ts";
import { startServer, type RunningServer, type StartOptions } from "./start-server.ts";
import { withTimeout } from "./run-rounds.ts";

export interface ConnectedServer {
  readonly label: string;
  readonly isEcho: boolean;
  readonly server: RunningServer;
  readonly client: LoadClient;
}

export interface WithOptions extends StartOptions {
  /** Whether the clients leave questions without an answer. */
  readonly leavesQuestionsOpen?: boolean;
}

export async function withServers<Result>(
  { transport, revision, servers }: Scenario,
  options: WithOptions,
  work: (connected: readonly ConnectedServer[]) => Promise<Result>,
): Promise<Result> {
  const started: RunningServer[] = [];
  const { leavesQuestionsOpen = false } = options;
  try {
    const connected: ConnectedServer[] = [];
    for (const benchServer of servers) {
      const { label, isEcho = false, asksOnGetStream = false } = benchServer;
      const starting = startServer(benchServer, transport, options);
      const server = await withTimeout(starting, () => `${label} did not start over ${transport}`);
      started.push(server);
      const connecting = connectClient(server, {
        transport,
        revision,
        leavesQuestionsOpen,
        isEcho,
        asksOnGetStream,
      });
      const problem = (): string => `${label} did not answer over ${transport} (${server.stderrTail()})`;
      const client = await withTimeout(connecting, problem);
      connected.push({ label, isEcho, server, client });
    }
    return await work(connected);
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}
