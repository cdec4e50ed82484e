/** A command: what its help says, and what it does. */
import { readFlags, type Given } from "./flags/read-flags.ts";
import { flagRows, section } from "./flags/show-flags.ts";
import type { Flags } from "./flags/flag.ts";
import { type CommandIO, write } from "./io.ts";

export interface Command {
  readonly flags: Flags;
  /** Does what was typed after its name; gives back the exit code. */
  readonly execute: (args: readonly string[], io: CommandIO) => Promise<number>;
}

interface CommandDefinition<Table extends Flags> {
  /** `photon serve`. */
  readonly name: string;
  /** The words it takes: `[paths…]`. */
  readonly usage: string;
  readonly description: string;
  readonly flags: Table;
  readonly examples: readonly string[];
  readonly run: (given: Given<Table>, io: CommandIO) => Promise<number>;
}

/** Every command has it. */
type Helpful = { readonly help: { readonly type: "boolean"; readonly short: "h"; readonly summary: string } };

export function command<const Table extends Flags & Helpful>(definition: CommandDefinition<Table>): Command {
  const { name, flags, run } = definition;
  return {
    flags,
    async execute(args, io) {
      const given = readFlags(name, flags, args, io.env);
      if ("problem" in given) {
        await write(io.errorOutput, `${given.problem}\n`);
        return 2;
      }
      if (given.typed.has("help")) {
        await write(io.output, helpOf(definition));
        return 0;
      }
      return run(given, io);
    },
  };
}

function helpOf({
  name,
  usage,
  description,
  flags,
  examples,
}: Omit<CommandDefinition<Flags>, "run">): string {
  return [
    `Usage: ${[name, usage, "[flags]"].filter(Boolean).join(" ")}`,
    "",
    description,
    "",
    ...section("Flags", flagRows(flags)),
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}
