/**
 * `photon call`: calls a tool of any MCP server, with the person at the terminal or the answers that are given.
 *
 *   1. Questions and logs go to stderr, the result to stdout.
 *   2. Exit codes: 0 success, 1 the tool failed, 2 the command cannot be carried out as typed, 130 interrupted.
 *   3. The SDK is loaded once there is a server to call.
 */
import { isUrl, parseServerAddress } from "../call/server-address.ts";
import { command, type Command } from "../command.ts";
import { UsageError } from "../errors.ts";
import type { ParsedArgs } from "../flags/parse.ts";
import type { CommandIO } from "../io.ts";
import { withTerminalSession } from "../run/terminal-session.ts";
import { commandLineFor } from "../shell-command.ts";
import { callHelp, type CallFlags, type CallOptions } from "../call/call-flags.ts";

type Args = ParsedArgs<CallFlags>;

export const call: Command = command({
  ...callHelp,
  name: "photon call",
  takesToolFlags: true,
  async run(args, io) {
    const options = optionsOf(args, io);
    return withTerminalSession(options, io, async (session) => {
      const address = parseServerAddress(options.url, options.command);
      const { callServer } = await import("../call/call.ts");
      return callServer(address, options, session);
    });
  },
});

/** Lists what a server offers; `server` is its address, or its command after "--". */
export const listServer = (
  server: readonly string[],
  { json }: { readonly json: boolean },
  io: CommandIO,
): Promise<number> => call.execute(["--list", ...(json ? ["--json"] : []), ...server], io);

/** After an address, "--" is followed by arguments of the tool; without one, by the command of the server. */
function optionsOf({ values, provided, positionals, toolArgs, rest }: Args, io: CommandIO): CallOptions {
  const [first, ...others] = positionals;
  const url = first !== undefined && isUrl(first) ? first : undefined;
  const [tool, surplus] = url === undefined ? positionals : others;
  if (url === undefined && tool !== undefined && rest.length === 0) throw new UsageError(noServer(tool, io));
  if (surplus !== undefined)
    throw new UsageError(`photon call takes one tool; remove ${JSON.stringify(surplus)}.`);
  return {
    ...values,
    token: provided.has("token") ? values.token : firstToken(values.token),
    url,
    tool,
    toolArgs: url === undefined ? toolArgs : [...toolArgs, ...rest],
    command: url === undefined ? rest : [],
    wantsLevel: provided.has("log-level"),
  };
}

/** PHOTON_TOKEN is written as `photon serve` reads it: `name:token`, several with commas. */
function firstToken(tokens = ""): string | undefined {
  const [first = ""] = tokens.split(",");
  const token = first.slice(first.indexOf(":") + 1).trim();
  return token === "" ? undefined : token;
}

function noServer(word: string, io: CommandIO): string {
  const looksLikeHost = /^[\w.-]+:\d+|^[\w-]+(?:\.[\w-]+)+\//.test(word);
  const hint = looksLikeHost
    ? `did you mean http://${word}${/\/./.test(word) ? "" : `${word.endsWith("/") ? "" : "/"}mcp`}?`
    : `a file is run by "${commandLineFor(`photon run ${word}`, io)}".`;
  return `${JSON.stringify(word)} is not a server: give an address (http://localhost:3001/mcp), or a command after --; ${hint}`;
}
