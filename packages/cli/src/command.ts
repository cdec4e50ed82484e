/** A command: its flags, its help, and the function that runs it. */
import type { FlagGroups, FlagsOf } from "./flags/flags.ts";
import { helpText, type HelpText } from "./flags/help.ts";
import { parseArguments, type ParsedArgs } from "./flags/parse.ts";
import { type CommandIO, write } from "./io.ts";

export interface Command {
  readonly flags: FlagGroups;
  /** Runs it with the arguments after its name; resolves to the exit code. */
  readonly execute: (args: readonly string[], io: CommandIO) => Promise<number>;
}

interface CommandDefinition<Groups extends FlagGroups> extends HelpText {
  readonly name: string;
  readonly flags: Groups;
  /** Whether unknown flags belong to a tool. If a tool may be named, such a command prints its help itself. */
  readonly takesToolFlags?: boolean;
  readonly run: (args: ParsedArgs<FlagsOf<Groups>>, io: CommandIO) => Promise<number>;
}

export function command<const Groups extends FlagGroups>(definition: CommandDefinition<Groups>): Command {
  const { name, flags, takesToolFlags = false, run } = definition;
  // The type of a merge of unknown tables is not known to the compiler.
  const table = Object.assign({}, ...Object.values(flags)) as FlagsOf<Groups>;
  return {
    flags,
    async execute(args, io) {
      const parsed = parseArguments(name, table, args, { cwd: io.cwd, env: io.env, takesToolFlags });
      const mayNameTool = takesToolFlags && parsed.positionals.length + parsed.rest.length > 0;
      if (!parsed.provided.has("help") || mayNameTool) return run(parsed, io);
      await write(io.output, helpText(definition, io));
      return 0;
    },
  };
}
