/**
 * Runs the command that the arguments name, and returns the exit code.
 *
 *   1. Results go to stdout, everything else to stderr.
 *   2. An error is one sentence on stderr, and exit code 2; with `--verbose` its stack is printed.
 */
import { commands } from "./commands.ts";
import { nearest } from "./flags/nearest.ts";
import { readFlags } from "./flags/read-flags.ts";
import { help, ownFlags } from "./help.ts";
import { version } from "./package-info.ts";
import { type CommandIO, write } from "./io.ts";

export async function runCli(args: readonly string[], io: CommandIO): Promise<number> {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const name = args[at];
  if (name === undefined) return runWithoutCommand(args, io);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return printError(unknownCommand(name), io);
  try {
    const { execute } = await command.load();
    return await execute(args.toSpliced(at, 1), io);
  } catch (error) {
    const isVerbose = args.includes("--verbose");
    const stack = isVerbose && error instanceof Error ? error.stack : undefined;
    return printError(stack ?? (error instanceof Error ? error.message : String(error)), io);
  }
}

/** `photon --help`, `photon --version`. */
async function runWithoutCommand(args: readonly string[], io: CommandIO): Promise<number> {
  const given = readFlags("photon", ownFlags, args, io.env);
  if ("problem" in given) return printError(given.problem, io);
  const { values } = given;
  if (values.help) await write(io.output, help());
  else if (values.version) await write(io.output, `${version()}\n`);
  else await write(io.errorOutput, help());
  return values.help || values.version ? 0 : 2;
}

async function printError(sentence: string, { errorOutput }: CommandIO): Promise<number> {
  const { cleanText } = await import("./terminal/text.ts");
  await write(errorOutput, `${cleanText(sentence)}\n`);
  return 2;
}

function unknownCommand(name: string): string {
  const meant = nearest(name, Object.keys(commands));
  const problem = `photon has no command ${JSON.stringify(name)}`;
  return meant === undefined
    ? `${problem}; "photon --help" lists what it knows.`
    : `${problem}; did you mean ${meant}?`;
}
