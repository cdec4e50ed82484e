import type { Output } from "./stdio.ts";
import { StdioTaken } from "./stdio-taken.ts";

let isTaken = false;

/**
 * Takes stdout for the protocol alone: whatever else writes to it, a stray
 * `console.log` in a tool above all, goes to stderr until it is given back.
 */
export function takeStdout(): { readonly stream: Output; giveBack(): void } {
  if (isTaken) throw new StdioTaken();
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
