/** What `photon call --help` prints, and with a tool what its input is. Pure. */
import type { JsonSchema } from "@photon/core";
import { flagRows, section } from "../flags/show-flags.ts";
import { cleanText, oneLine } from "../terminal/text.ts";
import { callFlags } from "./call-flags.ts";
import { inputRows } from "./run-help.ts";

interface Called {
  readonly name: string;
  readonly about: string;
  readonly input: JsonSchema;
}

export function callHelp(tool?: Called): string {
  const name = tool === undefined ? "[tool]" : oneLine(tool.name);
  return [
    `Usage: photon call <address> ${name} [--field value …] [flags]`,
    `       photon call ${name} [--field value …] [flags] -- <command> …`,
    "",
    tool === undefined
      ? "Calls a tool of any MCP server, and asks you what it asks. An address is http(s)://…/mcp, …/sse or ws(s)://…."
      : cleanText(tool.about),
    "",
    ...(tool === undefined ? [] : section("Input", inputRows(tool.input, callFlags))),
    ...section("Flags", flagRows(callFlags)),
    "",
  ].join("\n");
}
