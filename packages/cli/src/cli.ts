/**
 * Runs the command that the arguments name, and returns the exit code.
 *
 *   1. Results go to stdout, everything else to stderr.
 *   2. An error is one sentence on stderr, and exit code 2; with `--verbose` its stack is printed, unless the command
 *      line itself is wrong.
 */
import type { Command } from "./command.ts";
import { closestMatch } from "./flags/closest-match.ts";
import { commonFlags } from "./flags/flags.ts";
import { helpText } from "./flags/help.ts";
import { parseArguments, ParseError } from "./flags/parse.ts";
import { type CommandIO, version, write } from "./io.ts";
import { commandLineFor } from "./shell-command.ts";

interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** The commands, in the order of the help. Each is loaded only when it is used. */
export const commands: Readonly<Record<string, ListedCommand>> = {
  serve: {
    summary: "serve tools to MCP clients",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  run: {
    summary: "run a tool in the terminal",
    load: async () => (await import("./commands/run.ts")).run,
  },
  call: {
    summary: "call a tool of any MCP server",
    load: async () => (await import("./commands/call.ts")).call,
  },
  inbox: {
    summary: "show and answer the open questions of durable runs",
    load: async () => (await import("./commands/inbox.ts")).inbox,
  },
  list: {
    summary: "list tools, prompts and resources, and the questions they ask",
    load: async () => (await import("./commands/list.ts")).list,
  },
  new: {
    summary: "create a tool and its test",
    load: async () => (await import("./commands/new.ts")).newTool,
  },
  dev: {
    summary: "serve over HTTP, WebSocket and SSE on one port, with the playground, and reload on change",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
};

export async function runCli(args: readonly string[], io: CommandIO): Promise<number> {
  try {
    return await runCommand(args, io);
  } catch (error) {
    const showsStack = args.includes("--verbose") && error instanceof Error && !(error instanceof ParseError);
    const { cleanText } = await import("./terminal/text.ts");
    const text = showsStack ? error.stack : error instanceof Error ? error.message : String(error);
    await write(io.errorOutput, `${cleanText(text ?? "")}\n`);
    return 2;
  }
}

async function runCommand(args: readonly string[], io: CommandIO): Promise<number> {
  const at = args.findIndex(isWord);
  const name = args[at];
  if (name === undefined) return runWithoutCommand(args, io);
  const others = args.toSpliced(at, 1);
  // `photon help run greet` is `photon run --help greet`: before a "--" that may follow.
  if (name === "help") return runCommand(others.toSpliced(others.findIndex(isWord) + 1, 0, "--help"), io);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new ParseError(unknownCommand(name, io));
  const { execute } = await command.load();
  return execute(others, io);
}

const isWord = (arg: string): boolean => !arg.startsWith("-");

const ownFlags = {
  version: { type: "boolean", short: "v", summary: "print the version" },
  ...commonFlags,
} as const;

/** `photon --help`, `photon --version`. */
async function runWithoutCommand(args: readonly string[], io: CommandIO): Promise<number> {
  const { values } = parseArguments("photon", ownFlags, args, io);
  if (values.help) await write(io.output, help(io));
  else if (values.version) await write(io.output, `${version()}\n`);
  else await write(io.errorOutput, help(io));
  return values.help || values.version ? 0 : 2;
}

function help(io: CommandIO): string {
  const rows = Object.entries(commands).map(([usage, { summary }]) => ({ usage, summary }));
  return helpText(
    {
      usage: ["photon <command> [flags]"],
      description: "Serves and runs tools that ask people.",
      sections: [["Commands", rows]],
      flags: { Flags: ownFlags },
      end: `"${commandLineFor("photon help <command>", io)}" shows the flags of a command.`,
    },
    io,
  );
}

function unknownCommand(name: string, io: CommandIO): string {
  const match = closestMatch(name, [...Object.keys(commands), "help"]);
  const hint =
    match === undefined
      ? `"${commandLineFor("photon --help", io)}" lists the commands.`
      : `did you mean ${match}?`;
  return `photon has no command ${JSON.stringify(name)}; ${hint}`;
}
