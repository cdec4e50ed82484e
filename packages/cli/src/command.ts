/** A command: what its help says, and what it does. */
import { readFlags, type Given } from "./flags/read-flags.ts";
import { flagRows, section } from "./flags/show-flags.ts";
import type { Flags } from "./flags/flag.ts";
import type { World } from "./world.ts";
import { write } from "./write.ts";

export interface Command {
  readonly flags: Flags;
  /** Does what was typed after its name; gives back the exit code. */
  readonly act: (args: readonly string[], world: World) => Promise<number>;
}

interface CommandDefinition<Table extends Flags> {
  /** `photon serve`. */
  readonly name: string;
  /** The words it takes: `[paths…]`. */
  readonly takes: string;
  readonly about: string;
  readonly flags: Table;
  readonly examples: readonly string[];
  readonly run: (given: Given<Table>, world: World) => Promise<number>;
}

/** Every command has it. */
type Helpful = { readonly help: { readonly type: "boolean"; readonly short: "h"; readonly summary: string } };

export function command<const Table extends Flags & Helpful>(definition: CommandDefinition<Table>): Command {
  const { name, flags, run } = definition;
  return {
    flags,
    async act(args, world) {
      const given = readFlags(name, flags, args, world.env);
      if ("problem" in given) {
        await write(world.errorOutput, `${given.problem}\n`);
        return 2;
      }
      if (given.typed.has("help")) {
        await write(world.output, helpOf(definition));
        return 0;
      }
      return run(given, world);
    },
  };
}

function helpOf({ name, takes, about, flags, examples }: Omit<CommandDefinition<Flags>, "run">): string {
  return [
    `Usage: ${[name, takes, "[flags]"].filter(Boolean).join(" ")}`,
    "",
    about,
    "",
    ...section("Flags", flagRows(flags)),
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}
