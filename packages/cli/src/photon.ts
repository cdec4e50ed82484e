/**
 * The command, from what was typed to its exit code.
 *
 *   1. What was asked for goes to stdout, everything else to stderr.
 *   2. What cannot be done is said in one sentence, exit code 2; with `--verbose`, where it was thrown as well.
 */
import { commands } from "./commands.ts";
import { nearest } from "./flags/nearest.ts";
import { readFlags } from "./flags/read-flags.ts";
import { help, ownFlags } from "./help.ts";
import { version } from "./version.ts";
import type { World } from "./world.ts";
import { write } from "./write.ts";

export async function photon(args: readonly string[], world: World): Promise<number> {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const name = args[at];
  if (name === undefined) return alone(args, world);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return refused(unknownCommand(name), world);
  try {
    const { act } = await command.load();
    return await act(args.toSpliced(at, 1), world);
  } catch (error) {
    const isVerbose = args.includes("--verbose");
    const stack = isVerbose && error instanceof Error ? error.stack : undefined;
    return refused(stack ?? (error instanceof Error ? error.message : String(error)), world);
  }
}

/** Without a command there is not much to do. */
async function alone(args: readonly string[], world: World): Promise<number> {
  const given = readFlags("photon", ownFlags, args, world.env);
  if ("problem" in given) return refused(given.problem, world);
  const { values } = given;
  if (values.help) await write(world.output, help());
  else if (values.version) await write(world.output, `${version()}\n`);
  else await write(world.errorOutput, help());
  return values.help || values.version ? 0 : 2;
}

async function refused(sentence: string, { errorOutput }: World): Promise<number> {
  // What goes well needs none of it.
  const { cleanText } = await import("./terminal/clean-text.ts");
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
