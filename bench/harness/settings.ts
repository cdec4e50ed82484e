/** The settings of one run of the bench, and the scenarios that it measures. */
import type { Revision, Transport } from "../client/connection.ts";
import { benchServers, type BenchServer } from "./servers.ts";
import type { Table } from "./table.ts";

export interface BenchSettings {
  readonly rounds: number;
  /** How long each sample of a rate takes. */
  readonly seconds: number;
  /** Whether the run only checks that everything works, with small numbers. */
  readonly isQuick: boolean;
  /** Whether a server, given by its label, is measured. */
  readonly includes: (label: string) => boolean;
  readonly transports: readonly Transport[];
  /** Reports the progress of the run. */
  readonly log: (line: string) => void;
}

export interface Measure {
  /** The name for `--only`. */
  readonly name: string;
  readonly about: string;
  run(settings: BenchSettings): Promise<readonly Table[]>;
}

/** A transport in a revision, with the servers that are compared on it. */
export interface Scenario {
  readonly transport: Transport;
  readonly revision: Revision;
  readonly servers: readonly BenchServer[];
}

const revisions: readonly Revision[] = ["2025-11-25", "2026-07-28"];

/** Each transport of these settings in each revision, if a server supports it. */
export function scenariosOf({ transports, includes }: BenchSettings): readonly Scenario[] {
  return revisions
    .flatMap((revision) => transports.map((transport) => ({ revision, transport })))
    .map(({ revision, transport }) => {
      const servers = benchServers.filter(
        ({ label, supports }) => includes(label) && supports[revision]?.includes(transport) === true,
      );
      return { revision, transport, servers };
    })
    .filter(({ servers }) => servers.length > 0);
}

const names = { stdio: "stdio", websocket: "WebSocket", http: "Streamable HTTP", sse: "SSE" } as const;

export const scenarioName = ({ transport, revision }: Pick<Scenario, "transport" | "revision">): string =>
  `${names[transport]}, ${revision}`;
