/** Who is measured, and what each of them speaks. */
import { fileURLToPath } from "node:url";
import type { Revision, Transport } from "../client/wire.ts";

export interface Contestant {
  readonly label: string;
  /** The program: it is told its transport and its port. */
  readonly file: string;
  readonly speaks: { readonly [revision in Revision]?: readonly Transport[] };
  /** Whether it is a package that is installed for this alone. */
  readonly isPeer: boolean;
  /** Whether it has no tools, and sends back what it is sent. */
  readonly isEcho?: boolean;
  /** Whether it asks on the session's own stream, and not on that of the call, which its clients must have open then. */
  readonly asksAside?: boolean;
}

const ours = (name: string): string => fileURLToPath(new URL(`../${name}.js`, import.meta.url));
/** Beside the packages they import, which are not compiled. */
const peers = (name: string): string => fileURLToPath(new URL(`../../peers/${name}.mjs`, import.meta.url));

const everything = {
  "2025-11-25": ["stdio", "websocket", "http", "sse"],
  "2026-07-28": ["stdio", "websocket", "http"],
} as const;

/** What every ratio is to: a server that checks nothing. */
export const FLOOR = "thin";

export const contestants: readonly Contestant[] = [
  { label: FLOOR, file: ours("serve-thin"), speaks: everything, isPeer: false },
  { label: "Photon", file: ours("serve-photon"), speaks: everything, isPeer: false },
  {
    label: "SDK v1",
    file: peers("sdk-1"),
    speaks: { "2025-11-25": ["stdio", "http", "sse"] },
    isPeer: true,
  },
  {
    label: "SDK v2",
    file: peers("sdk-2"),
    speaks: { "2025-11-25": ["stdio", "http"], "2026-07-28": ["stdio", "http"] },
    isPeer: true,
  },
  {
    label: "fastmcp",
    file: peers("fastmcp"),
    speaks: { "2025-11-25": ["stdio", "http", "sse"] },
    isPeer: true,
    asksAside: true,
  },
  {
    label: "ws echo",
    file: ours("serve-echo"),
    speaks: { "2025-11-25": ["websocket"] },
    isPeer: false,
    isEcho: true,
  },
];
