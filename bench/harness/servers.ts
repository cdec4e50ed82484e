/** The servers that are measured, with the transports and revisions that each supports. */
import { fileURLToPath } from "node:url";
import type { Revision, Transport } from "../client/connection.ts";

export interface BenchServer {
  readonly label: string;
  /** The program. Its arguments are a transport and a port. */
  readonly file: string;
  readonly supports: { readonly [revision in Revision]?: readonly Transport[] };
  /** Whether it needs the packages of bench/peers, which are installed for the bench only. */
  readonly isPeer: boolean;
  /** Whether it has no tools, and sends back each message. */
  readonly isEcho?: boolean;
  /** Whether it asks on the session's GET stream instead of the stream of the call. Its clients must open that stream. */
  readonly asksOnGetStream?: boolean;
}

const ours = (name: string): string => fileURLToPath(new URL(`../${name}.js`, import.meta.url));
/** These are plain JavaScript, in the folder where their packages are installed. */
const peers = (name: string): string => fileURLToPath(new URL(`../../peers/${name}.mjs`, import.meta.url));

const everything = {
  "2025-11-25": ["stdio", "websocket", "http", "sse"],
  "2026-07-28": ["stdio", "websocket", "http"],
} as const;

/** The server that the ratios compare with. It validates nothing: no messages, callers, inputs or states. */
export const BASELINE = "thin";

export const benchServers: readonly BenchServer[] = [
  { label: BASELINE, file: ours("serve-thin"), supports: everything, isPeer: false },
  { label: "Photon", file: ours("serve-photon"), supports: everything, isPeer: false },
  {
    label: "SDK v1",
    file: peers("sdk-1"),
    supports: { "2025-11-25": ["stdio", "http", "sse"] },
    isPeer: true,
  },
  {
    label: "SDK v2",
    file: peers("sdk-2"),
    supports: { "2025-11-25": ["stdio", "http"], "2026-07-28": ["stdio", "http"] },
    isPeer: true,
  },
  {
    label: "fastmcp",
    file: peers("fastmcp"),
    supports: { "2025-11-25": ["stdio", "http", "sse"] },
    isPeer: true,
    asksOnGetStream: true,
  },
  {
    label: "ws echo",
    file: ours("serve-echo"),
    supports: { "2025-11-25": ["websocket"] },
    isPeer: false,
    isEcho: true,
  },
];
