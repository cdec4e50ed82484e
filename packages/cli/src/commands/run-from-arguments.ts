import type { CommandIO } from "../io.ts";
import { keepStdout } from "./keep-stdout.ts";
import { readRunArguments } from "./read-run-arguments.ts";
import { runCommand, type LoadTools } from "./run.ts";

/** `photon run` as it was typed. */
export async function runFromArguments(args: readonly string[], io: CommandIO): Promise<number> {
  const options = readRunArguments(args);
  const kept = keepStdout(io);
  try {
    return await runCommand(options, kept.io, load);
  } finally {
    kept.giveBack();
  }
}

/** The loader comes with the first file: `--help` needs none. */
const load: LoadTools = async (paths, options) => {
  const { loadDefinitions } = await import("../load/load.ts");
  return loadDefinitions(paths, options);
};
