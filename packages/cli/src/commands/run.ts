/**
 * `photon run`: runs a tool in this process, with the person at the terminal or the answers that are given.
 *
 *   1. Questions and logs go to stderr, the result to stdout.
 *   2. Exit codes: 0 success, 1 the tool failed, 2 the command cannot be carried out as typed, 130 interrupted.
 *   3. The tool's `finally` blocks run however it ends, unless a second signal does not wait for them.
 */
import { parseInput, InvalidInput, type Tool } from "@photon/core";
import { command, type Command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { helpText } from "../flags/help.ts";
import { redirectStdout, write, type CommandIO } from "../io.ts";
import { pickTool, parseToolPath } from "../run/pick-tool.ts";
import { answerFlags, inputFlags, outputFlags } from "../run/run-flags.ts";
import { runTool, type RunToolOptions } from "../run/run-tool.ts";
import { withTerminalSession, type TerminalSession } from "../run/terminal-session.ts";
import { commandLineFor } from "../shell-command.ts";
import { cleanText } from "../terminal/text.ts";
import { gatherInput } from "../tool-input/gather-input.ts";
import { inputRows } from "../tool-input/schema-fields.ts";

/** Loads the tools of a file. */
export type LoadTools = (
  paths: readonly string[],
  options: { readonly cwd: string },
) => Promise<{ readonly tools: readonly Tool<never>[] }>;

const help = {
  usage: ["photon run <file>[#tool] [--field value …] [flags]"],
  description: "Runs a tool in the terminal. You answer its questions.",
  flags: {
    Input: inputFlags,
    Answers: {
      ...answerFlags,
      "ask-timeout": {
        type: "timeout",
        value: "5m",
        summary: "default time limit for a question; none: no limit",
      },
    },
    Output: outputFlags,
  },
  examples: [
    "photon run greet",
    "photon run travel.ts#book --city Rome --nights 3",
    "photon run greet --answer name=Ada --answer loud=no",
  ],
  end: '\nArguments after "--" belong to the tool, also if photon run has a flag of that name.',
} as const;

const ownFlags = { ...help.flags.Input, ...help.flags.Answers, ...help.flags.Output };

/** `load` is replaced in tests. */
export const runWith = (load: LoadTools): Command =>
  command({
    ...help,
    name: "photon run",
    takesToolFlags: true,
    async run({ values, positionals, toolArgs, leadingToolFlag, rest }, io) {
      const [target, more] = positionals;
      if (more !== undefined)
        throw new UsageError(`photon run takes one file; remove ${JSON.stringify(more)}.`);
      if (leadingToolFlag !== undefined)
        throw new UsageError(
          `Name the file before the tool's own flags: ${commandLineFor(`photon run <file>[#tool] ${leadingToolFlag} …`, io)}`,
        );
      const options = { ...values, toolArgs: [...toolArgs, ...rest] };
      const redirected = redirectStdout(io);
      try {
        return await withTerminalSession(options, redirected.io, (session) =>
          loadAndRun(target, load, options, session),
        );
      } finally {
        redirected.restore();
      }
    },
  });

export const run: Command = runWith(async (paths, options) => {
  const { loadDefinitions } = await import("../load/load.ts");
  return loadDefinitions(paths, options);
});

async function loadAndRun(
  path: string | undefined,
  load: LoadTools,
  options: RunToolOptions,
  session: TerminalSession,
): Promise<number> {
  const { io, signals } = session;
  if (path === undefined)
    throw new UsageError(`photon run needs a file: ${commandLineFor("photon run <file>[#tool]", io)}.`);
  const target = parseToolPath(path, io.cwd);
  const { tools } = await signals.rejectOnAbort(load([target.file], { cwd: io.cwd }));
  const { file } = target;
  if (tools.length === 0)
    throw new UsageError(`There is no tool in ${file}; export one: export const name = tool({ … }).`);
  const choice = { name: target.tool, where: `in ${file}`, format: (name: string) => `${file}#${name}` };
  const tool = await pickTool(tools, choice, session);
  if (tool === undefined) return 130;
  if (options.help) {
    await write(io.output, toolHelp(path, tool, io));
    return 0;
  }
  const name = tool.name ?? "The tool";
  const input = await gatherInput({ name, schema: tool.input.json, ownFlags }, options, session);
  if (input === undefined) return 130;
  return runTool(tool, await checked(tool, input, path, io), options, session);
}

async function checked(tool: Tool<never>, input: object, path: string, io: CommandIO): Promise<never> {
  try {
    return await parseInput(tool, input);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new UsageError(
      `${error.message} ${commandLineFor(`photon run ${path} --help`, io)} shows its input.`,
      {
        cause: error,
      },
    );
  }
}

const toolHelp = (
  path: string,
  { name = "", title = name, description = title, input }: Tool<never>,
  io: CommandIO,
): string =>
  helpText(
    {
      ...help,
      usage: [`photon run ${path} [--field value …] [flags]`],
      description: cleanText(description),
      sections: [["Input", inputRows(input.json, ownFlags)]],
      examples: [],
      end: help.end.trim(),
    },
    io,
  );
