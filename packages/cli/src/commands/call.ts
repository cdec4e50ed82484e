/**
 * `photon call`: calls a tool of any MCP server, with the person at the terminal, or with the answers it was given.
 *
 *   1. Human text goes to stderr, the result to stdout.
 *   2. Exit codes: 0 the tool ended well, 1 it did not, 2 the command cannot be done as typed, 130 interrupted.
 *   3. The SDK is loaded once there is a server to call.
 */
import { parseServerAddress } from "../call/server-address.ts";
import type { Command } from "../command.ts";
import type { CommandIO } from "../io.ts";
import { callFlags } from "./call-flags.ts";
import { callHelp } from "./call-help.ts";
import { inTerminal } from "./in-terminal.ts";
import { readCallArguments } from "./read-call-arguments.ts";

export const call: Command = { flags: callFlags, execute: callFromArguments };

async function callFromArguments(args: readonly string[], io: CommandIO): Promise<number> {
  const options = readCallArguments(args, io.env);
  return inTerminal(options, io, async (stage) => {
    const isNamed = options.target !== undefined || options.command.length > 0;
    if (options.help && !isNamed) return stage.telling.help(callHelp());
    const target = parseServerAddress(options.target, options.command);
    const { callServer } = await import("../call/call.ts");
    return callServer(target, options, stage);
  });
}

/** Shows what a server offers: its address, or after `--` its command. */
export function listServer(
  server: readonly string[],
  { json }: { readonly json: boolean },
  io: CommandIO,
): Promise<number> {
  return callFromArguments(["--list", ...(json ? ["--json"] : []), ...server], io);
}
