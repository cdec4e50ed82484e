/** A flag as the help shows it and as `parseArgs` reads it. */
interface Flag {
  readonly type: "boolean";
  readonly short: string;
  readonly summary: string;
}

export type FlagName = "help" | "version";

/** Every flag of the command, in the order the help shows them. */
export const flags: Readonly<Record<FlagName, Flag>> = {
  help: { type: "boolean", short: "h", summary: "print this help" },
  version: { type: "boolean", short: "v", summary: "print the version" },
};
