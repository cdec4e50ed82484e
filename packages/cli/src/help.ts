import { commands } from "./commands.ts";
import { commonFlags } from "./flags/common-flags.ts";
import { flagRows, section } from "./flags/show-flags.ts";

const VERSION = { type: "boolean", short: "v", summary: "print the version" } as const;

/** The flags of `photon` itself. */
export const ownFlags: typeof commonFlags & { readonly version: typeof VERSION } = {
  version: VERSION,
  ...commonFlags,
};

/** What `photon --help` prints. */
export function help(): string {
  const rows = Object.entries(commands).map(([usage, { summary }]) => ({ usage, summary }));
  return [
    "photon: runs tools that need people",
    "",
    "Usage: photon <command> [flags]",
    "",
    ...section("Commands", rows),
    ...section("Flags", flagRows(ownFlags)),
    '"photon <command> --help" shows the flags of a command.',
    "",
  ].join("\n");
}
