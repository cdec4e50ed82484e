/** What one run of the harness measures, and how much of it. */
import type { Revision, Transport } from "../client/wire.ts";
import { contestants, type Contestant } from "./contestants.ts";
import type { Table } from "./table.ts";

export interface Plan {
  readonly rounds: number;
  /** How long each sample of a rate takes. */
  readonly seconds: number;
  /** Whether it is only tried whether everything works: small numbers of everything. */
  readonly isQuick: boolean;
  /** Whether somebody is to be measured. */
  readonly includes: (label: string) => boolean;
  readonly transports: readonly Transport[];
  /** Tells how far it is. */
  readonly say: (words: string) => void;
}

export interface Measure {
  /** What it is called after `--only`. */
  readonly name: string;
  readonly about: string;
  take(plan: Plan): Promise<readonly Table[]>;
}

/** Circumstances under which servers are compared. */
export interface Setting {
  readonly transport: Transport;
  readonly revision: Revision;
  readonly who: readonly Contestant[];
}

const revisions: readonly Revision[] = ["2025-11-25", "2026-07-28"];

/** All there are of this plan: every transport in every revision that somebody speaks on it. */
export function settingsOf({ transports, includes }: Plan): readonly Setting[] {
  return revisions
    .flatMap((revision) => transports.map((transport) => ({ revision, transport })))
    .map((setting) => ({ ...setting, who: whoSpeaks(setting.revision, setting.transport, includes) }))
    .filter(({ who }) => who.length > 0);
}

function whoSpeaks(
  revision: Revision,
  transport: Transport,
  includes: Plan["includes"],
): readonly Contestant[] {
  return contestants.filter(
    ({ label, speaks }) => includes(label) && speaks[revision]?.includes(transport) === true,
  );
}

const names = { stdio: "stdio", websocket: "WebSocket", http: "Streamable HTTP", sse: "SSE" } as const;

export const spelled = ({ transport, revision }: Setting): string => `${names[transport]}, ${revision}`;
