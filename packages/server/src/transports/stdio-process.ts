/** MCP over the stdin and stdout of this process, until its client has gone or somebody stops it. */
import type { AcceptConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { type Output, serveStdio, type StdioLine } from "./stdio.ts";
import { StdioInUse } from "../errors.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

interface ProcessHooks {
  opened(line: StdioLine): void;
  /** The process was told to end. */
  stopped(): void;
  /** The line has ended; what is still to be done before the process may end. */
  ended(): Promise<void>;
}

export async function serveOwnStdio(
  open: AcceptConnection,
  settings: Pick<Settings, "limits" | "clock">,
  watching: ProcessHooks,
): Promise<void> {
  const output = captureStdout();
  let raised: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    raised = signal;
    watching.stopped();
  };
  try {
    const line = serveStdio(open, process.stdin, output.stream, settings);
    for (const signal of SIGNALS) process.once(signal, stop);
    watching.opened(line);
    await line.closed;
    await watching.ended();
    // What nobody reads would keep the process from ending, which it was told to.
    if (raised !== undefined && output.stream.writableLength > 0) process.kill(process.pid, raised);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    output.giveBack();
  }
}

let isTaken = false;

/**
 * Takes stdout for the protocol alone: whatever else writes to it, a stray
 * `console.log` in a tool above all, goes to stderr until it is given back.
 */
function captureStdout(): { readonly stream: Output; giveBack(): void } {
  if (isTaken) throw new StdioInUse();
  isTaken = true;
  const { stdout, stderr } = process;
  const own = stdout.write.bind(stdout);
  let isGone = false;
  stdout.once("error", () => {
    isGone = true;
  });
  stdout.write = stderr.write.bind(stderr);
  return {
    stream: {
      write: own,
      on: (event, listener) => stdout.on(event, listener),
      off: (event, listener) => stdout.off(event, listener),
      get writableLength() {
        return stdout.writableLength;
      },
      get writableNeedDrain() {
        return stdout.writableNeedDrain;
      },
      // It is never destroyed, not even by whoever read it and is gone.
      get destroyed() {
        return isGone;
      },
    },
    giveBack() {
      stdout.write = own;
      isTaken = false;
    },
  };
}
