/** The flags and the help of `photon call`. */
import type { JsonSchema } from "@photon/core";
import type { Revision } from "@photon/server";
import type { Values } from "../flags/flags.ts";
import { helpText, type HelpText } from "../flags/help.ts";
import { answerFlags, inputFlags, outputFlags } from "../run/run-flags.ts";
import type { ShellEnvironment } from "../shell-command.ts";
import { cleanText, oneLine } from "../terminal/text.ts";
import { inputRows } from "../tool-input/schema-fields.ts";

/** Typed, so that a new revision does not compile without its entry. The server, which has the list, is not loaded. */
const revisions: Readonly<Record<Revision, true>> = {
  "2024-11-05": true,
  "2025-03-26": true,
  "2025-06-18": true,
  "2025-11-25": true,
  "2026-07-28": true,
};

const serverFlags = {
  list: { type: "boolean", summary: "list what the server offers, and call nothing" },
  header: {
    type: "list",
    value: "'Name: value'",
    keepsCommas: true,
    isSecret: true,
    summary: "send a header with every request",
  },
  token: {
    type: "string",
    value: "token",
    summary: "send a bearer token with every request",
    env: "PHOTON_TOKEN",
    isSecret: true,
  },
  revision: {
    type: "string",
    value: "revision",
    summary: "speak only this revision of MCP",
    // The keys of an object literal of that type.
    choices: Object.keys(revisions) as readonly Revision[],
  },
  timeout: {
    type: "timeout",
    value: "time",
    summary: "end the call if the server is silent for so long; none: never",
    default: "60s",
  },
  root: { type: "boolean", summary: "give the server this folder as its root" },
} as const;

interface CallHelp extends HelpText {
  readonly flags: {
    readonly Server: typeof serverFlags;
    readonly Input: typeof inputFlags;
    readonly Answers: typeof answerFlags;
    readonly Output: typeof outputFlags;
  };
}

export const callHelp: CallHelp = {
  usage: [
    "photon call <address> [tool] [--field value …] [flags]",
    "photon call [tool] [--field value …] [flags] -- <command> …",
  ],
  description:
    "Calls a tool of any MCP server. You answer its questions. An address is http(s)://…/mcp, …/sse or ws(s)://….",
  flags: { Server: serverFlags, Input: inputFlags, Answers: answerFlags, Output: outputFlags },
  examples: [
    "photon call --list -- photon serve greet",
    "photon call http://localhost:3001/mcp greet --greeting Welcome",
    "photon call greet --answer name=Ada --answer loud=no -- photon serve greet",
  ],
};

export type CallFlags = typeof serverFlags & typeof inputFlags & typeof answerFlags & typeof outputFlags;

export const callFlags: CallFlags = { ...serverFlags, ...inputFlags, ...answerFlags, ...outputFlags };

export interface CallOptions extends Values<CallFlags> {
  /** The URL of the server. Without one, `command` starts it. */
  readonly url: string | undefined;
  readonly command: readonly string[];
  readonly tool: string | undefined;
  /** The arguments of the tool: `--city Paris`. */
  readonly toolArgs: readonly string[];
  /** Whether `--log-level` was given. */
  readonly wantsLevel: boolean;
}

interface CalledTool {
  readonly name: string;
  readonly about: string;
  readonly input: JsonSchema;
}

export const callToolHelp = ({ name, about, input }: CalledTool, shell: ShellEnvironment): string =>
  helpText(
    {
      ...callHelp,
      usage: callHelp.usage.map((line) => line.replace("[tool]", () => oneLine(name))),
      description: cleanText(about),
      sections: [["Input", inputRows(input, callFlags)]],
      examples: [],
    },
    shell,
  );
