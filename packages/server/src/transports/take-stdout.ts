import { Writable } from "node:stream";
import { StdioTaken } from "./stdio-taken.ts";

let isTaken = false;

/**
 * Takes stdout for the protocol alone: whatever else writes to it, a stray
 * `console.log` in a tool above all, goes to stderr until it is given back.
 */
export function takeStdout(): { readonly stream: Writable; giveBack(): void } {
  if (isTaken) throw new StdioTaken();
  isTaken = true;
  const { stdout, stderr } = process;
  const own = stdout.write.bind(stdout);
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      own(chunk, done);
    },
  });
  stdout.on("error", (error: Error) => stream.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return {
    stream,
    giveBack() {
      stdout.write = own;
      isTaken = false;
    },
  };
}
