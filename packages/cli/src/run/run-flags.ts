/** The flags that `photon run` and `photon call` share. */
import type { Values } from "../flags/flags.ts";

export const inputFlags = {
  input: { type: "string", value: "JSON", summary: "the tool's input: JSON, @file.json, or - for stdin" },
} as const;

export const answerFlags = {
  answer: {
    type: "list",
    value: "id=value",
    keepsCommas: true,
    summary: "answer a question, or its next attempt",
  },
  decline: { type: "list", value: "id", keepsCommas: true, summary: "decline a question" },
  cancel: { type: "list", value: "id", keepsCommas: true, summary: "cancel a question" },
  answers: { type: "string", value: "file.json", summary: 'answer questions by id: { "id": value }' },
  record: {
    type: "string",
    value: "file.json",
    summary: "write the answers to a file for --answers; secrets are left out",
  },
  "no-input": { type: "boolean", summary: "do not prompt: end at the first question without an answer" },
} as const;

export const outputFlags = {
  json: { type: "boolean", summary: "print the result as one JSON document" },
  out: { type: "string", value: "folder", summary: "save artifacts to a folder" },
  "log-level": {
    type: "string",
    value: "level",
    choices: ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
    default: "info",
    summary: "show logs from this level on",
  },
  verbose: { type: "boolean", summary: "show where an error was thrown" },
  help: { type: "boolean", short: "h", summary: "print this help; with a tool, its input too" },
} as const;

export type HostFlags = Values<typeof inputFlags & typeof answerFlags & typeof outputFlags> & {
  /** The arguments of the tool: `--city Paris`. */
  readonly toolArgs: readonly string[];
};
