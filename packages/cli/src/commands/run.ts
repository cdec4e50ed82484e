/**
 * `photon run`: runs a tool here, with the person at the terminal, or with the answers it was given.
 *
 *   1. Human text goes to stderr, the result to stdout.
 *   2. Exit codes: 0 the tool ended well, 1 it did not, 2 the command cannot be done as typed, 130 interrupted.
 *   3. However it ends, the tool's `finally` blocks have had their turn, unless nobody waits for them.
 */
import { parseInput, InvalidInput, type Tool } from "@photon/core";
import { UsageError } from "../errors.ts";
import type { CommandIO } from "../io.ts";
import { askForInput } from "./ask-for-input.ts";
import { inTerminal } from "./in-terminal.ts";
import { pickTool, readTarget } from "./pick-tool.ts";
import { readFields } from "./read-fields.ts";
import { readInput } from "./read-input.ts";
import type { RunOptions } from "./run-flags.ts";
import { runHelp } from "./run-help.ts";
import { runTool, type Stage } from "./run-tool.ts";

/** Loads the tools of a file; the part of loading that running needs. */
export type LoadTools = (
  paths: readonly string[],
  options: { readonly cwd: string },
) => Promise<{ readonly tools: readonly Tool<never>[] }>;

export function runCommand(options: RunOptions, io: CommandIO, load: LoadTools): Promise<number> {
  return inTerminal(options, io, (stage) => prepareAndRun(options, { ...stage, load }));
}

interface Here extends Stage {
  readonly load: LoadTools;
}

async function prepareAndRun(options: RunOptions, here: Here): Promise<number> {
  const { io, load, terminal, telling, interruptions } = here;
  if (options.target === undefined) {
    if (options.help) return telling.help(runHelp());
    throw new UsageError("photon run needs a file: photon run <file>[#tool].");
  }
  const target = readTarget(options.target, io.cwd);
  const { tools } = await interruptions.orEnd(load([target.file], { cwd: io.cwd }));
  const tool = await pickTool(target, tools, terminal, interruptions.run);
  if (tool === undefined) return 130;
  if (options.help) return telling.help(runHelp(options.target, tool));
  const input = await inputFor(tool, options, here);
  if (input === undefined) return 130;
  return runTool(tool, input.checked, options, here);
}

/** The input as it was given, checked: by flags, by `--input`, by the person. Nothing where the person left. */
async function inputFor(
  tool: Tool<never>,
  options: RunOptions,
  { io, terminal, interruptions }: Here,
): Promise<{ readonly checked: never } | undefined> {
  const schema = tool.input.json;
  const given = readFields(
    options.fields,
    tool.name ?? "The tool",
    schema,
    await interruptions.orEnd(readInput(options.input, io)),
  );
  const whole = terminal.isInteractive
    ? await askForInput(schema, given, terminal, interruptions.run)
    : given;
  if (whole === undefined) return undefined;
  try {
    return { checked: await parseInput(tool, whole) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new UsageError(`${error.message} photon run ${options.target ?? ""} --help shows its input.`, {
      cause: error,
    });
  }
}
