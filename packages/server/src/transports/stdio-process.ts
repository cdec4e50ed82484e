/** MCP over the stdin and stdout of this process, until its client disconnects or a signal arrives. */
import type { AcceptConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { type Output, serveStdio, type StdioConnection } from "./stdio.ts";
import { StdioInUse } from "../errors.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

interface ProcessHooks {
  onOpen(connection: StdioConnection): void;
  onSignal(): void;
  /** The connection has closed. The process may exit when this resolves. */
  onEnd(): Promise<void>;
}

export async function serveOwnStdio(
  open: AcceptConnection,
  settings: Pick<Settings, "limits" | "clock">,
  hooks: ProcessHooks,
): Promise<void> {
  const output = captureStdout();
  let raised: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    raised = signal;
    hooks.onSignal();
  };
  try {
    const connection = serveStdio(open, process.stdin, output.stream, settings);
    for (const signal of SIGNALS) process.once(signal, stop);
    hooks.onOpen(connection);
    await connection.closed;
    await hooks.onEnd();
    // Unread output would keep the process from exiting.
    if (raised !== undefined && output.stream.writableLength > 0) process.kill(process.pid, raised);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    output.restore();
  }
}

let isTaken = false;

/** Reserves stdout for the protocol: other writes, such as a `console.log` in a tool, go to stderr until it is restored. */
function captureStdout(): { readonly stream: Output; restore(): void } {
  if (isTaken) throw new StdioInUse();
  isTaken = true;
  const { stdout, stderr } = process;
  const own = stdout.write.bind(stdout);
  let hasFailed = false;
  stdout.once("error", () => {
    hasFailed = true;
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
      // `stdout.destroyed` stays false after EPIPE.
      get destroyed() {
        return hasFailed;
      },
    },
    restore() {
      stdout.write = own;
      isTaken = false;
    },
  };
}
