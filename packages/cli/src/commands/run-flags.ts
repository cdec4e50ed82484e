/** The flags of `photon run`, as data: for reading them, and for the help. */
import { logLevels, type LogLevel, type Timeout } from "@photon/core";
import type { Flag } from "../flags/flag.ts";

export type RunFlag =
  | "input"
  | "answer"
  | "decline"
  | "cancel"
  | "answers"
  | "record"
  | "no-input"
  | "json"
  | "out"
  | "log-level"
  | "ask-timeout"
  | "verbose"
  | "help";

/** Every flag of the command, in the order the help shows them. */
export const runFlags: Readonly<Record<RunFlag, Flag>> = {
  input: { type: "string", value: "JSON", summary: "the tool's input: JSON, @file.json, or - for stdin" },
  answer: {
    type: "string",
    value: "id=value",
    summary: "answers a question; again for more, or for its next attempt",
  },
  decline: { type: "string", value: "id", summary: "declines a question; again for more" },
  cancel: { type: "string", value: "id", summary: "cancels a question; again for more" },
  answers: { type: "string", value: "file.json", summary: 'answers questions by id: { "id": value }' },
  record: {
    type: "string",
    value: "file.json",
    summary: "writes the answers down, for --answers; secrets are left out",
  },
  "no-input": { type: "boolean", summary: "asks nobody: ends at the first question without an answer" },
  json: { type: "boolean", summary: "prints the result as one JSON document" },
  out: { type: "string", value: "folder", summary: "saves what the tool makes into a folder" },
  "log-level": {
    type: "string",
    value: "level",
    summary: `shows logs from this level on (info): ${logLevels.join(", ")}`,
  },
  "ask-timeout": {
    type: "timeout",
    value: "time",
    summary: "how long a question stays open that does not say; none: until it is answered",
  },
  verbose: { type: "boolean", summary: "shows where an error was thrown" },
  help: { type: "boolean", short: "h", summary: "print this help; with a tool, its input as well" },
};

/** What `photon run` was told to do. */
export interface RunOptions {
  /** `file`, or `file#tool`. */
  readonly target?: string;
  /** What is left for the tool's own input: `--city Paris`. */
  readonly fields: readonly string[];
  readonly input?: string;
  readonly answer: readonly string[];
  /** The ids of questions that are declined, or cancelled. */
  readonly decline: readonly string[];
  readonly cancel: readonly string[];
  readonly answers?: string;
  readonly record?: string;
  readonly noInput: boolean;
  readonly json: boolean;
  readonly out?: string;
  readonly logLevel: LogLevel;
  readonly askTimeout?: Timeout;
  readonly verbose: boolean;
  readonly help: boolean;
}
