import { flags } from "./flags.ts";

/** What `photon --help` prints. */
export function help(): string {
  const rows = Object.entries(flags).map(([name, flag]) => ({
    usage: `-${flag.short}, --${name}`,
    summary: flag.summary,
  }));
  const width = Math.max(...rows.map((row) => row.usage.length));

  return [
    "photon: runs tools that need people",
    "",
    "Usage: photon [flags]",
    "",
    "Flags:",
    ...rows.map((row) => `  ${row.usage.padEnd(width)}  ${row.summary}`),
    "",
  ].join("\n");
}
