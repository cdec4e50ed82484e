/** What a command that talks with a person has: a terminal, what ends it from outside, and how its end is told. */
import { openTerminal, type CancelLabels } from "../terminal/terminal.ts";
import type { CommandIO } from "../io.ts";
import { Interruptions } from "./interruptions.ts";
import type { RunOptions } from "./run-flags.ts";
import type { Stage } from "./run-tool.ts";
import { Telling } from "./telling.ts";

interface TerminalOptions extends RunOptions {
  /** For a command where leaving a prompt cancels nothing. */
  readonly cancelLabels?: CancelLabels;
}

/** Acts, and gives back the exit code: what is thrown was refused, and who is interrupted too often is not waited for. */
export async function inTerminal(
  options: TerminalOptions,
  io: CommandIO,
  execute: (stage: Stage) => Promise<number>,
): Promise<number> {
  const interruptions = new Interruptions(io.signals);
  const terminal = openTerminal(io, {
    noInput: options.noInput,
    ...(options.cancelLabels === undefined ? {} : { cancelLabels: options.cancelLabels }),
    onInterrupt: () => interruptions.interrupt(),
  });
  const telling = new Telling(io, terminal, options);
  try {
    return await Promise.race([execute({ io, terminal, telling, interruptions }), givenUp(interruptions)]);
  } catch (error) {
    return telling.refused(error, interruptions.isInterrupted(error));
  } finally {
    interruptions.close();
  }
}

function givenUp({ gaveUp }: Interruptions): Promise<number> {
  return new Promise((resolve) => {
    gaveUp.addEventListener("abort", () => resolve(130), { once: true });
  });
}
