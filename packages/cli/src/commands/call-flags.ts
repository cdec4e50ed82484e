/** The flags of `photon call`, as data: for reading them, and for the help. */
import type { Timeout } from "@photon/core";
import type { Revision } from "@photon/server";
import type { Flag } from "../flags/flag.ts";
import { runFlags, type RunFlag, type RunOptions } from "./run-flags.ts";

type CallFlag =
  | Exclude<RunFlag, "ask-timeout">
  | "list"
  | "header"
  | "token"
  | "revision"
  | "timeout"
  | "root";

const { "ask-timeout": _, verbose, help, ...shared } = runFlags;

/** All there are; the server, which has the list, is not loaded for it. */
const revisions: Readonly<Record<Revision, true>> = {
  "2024-11-05": true,
  "2025-03-26": true,
  "2025-06-18": true,
  "2025-11-25": true,
  "2026-07-28": true,
};

/** Every flag of the command, in the order the help shows them. */
export const callFlags: Readonly<Record<CallFlag, Flag>> = {
  list: { type: "boolean", summary: "shows what the server offers, and calls nothing" },
  ...shared,
  header: {
    type: "string",
    value: "'Name: value'",
    isSecret: true,
    summary: "sends a header with every request; again for more",
  },
  token: {
    type: "string",
    value: "token",
    summary: "sends a bearer token with every request",
    env: "PHOTON_TOKEN",
    isSecret: true,
  },
  revision: {
    type: "string",
    value: "revision",
    summary: "speaks this revision of MCP and no other",
    choices: Object.keys(revisions),
  },
  timeout: {
    type: "timeout",
    value: "time",
    summary: "how long the server may say nothing, or none",
    default: "60s",
  },
  root: { type: "boolean", summary: "tells the server this folder, if it asks where it may work" },
  verbose,
  help,
};

/** What `photon call` was told to do. */
export interface CallOptions extends RunOptions {
  /** `target` is the address of the server; without one, this is its command. */
  readonly command: readonly string[];
  readonly tool?: string;
  readonly list: boolean;
  readonly header: readonly string[];
  readonly token?: string;
  readonly revision?: Revision;
  readonly timeout: Timeout;
  readonly root: boolean;
  /** Whether the level of logs was asked for. */
  readonly wantsLevel: boolean;
}
