import type { Readable, Writable } from "node:stream";

/** What the command reads: stdin, or what a test gives in its place. */
export type Input = Readable & {
  readonly isTTY?: boolean;
  /** Whether keys come one by one, as they are pressed; a terminal has it. */
  setRawMode?(isRaw: boolean): unknown;
};

/** What the command writes to: stdout or stderr. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What the process is told from outside, and that it has nothing left to wait for. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP" | "beforeExit";

/** Everything a command touches. Human text goes to `errorOutput`, results to `output`. */
export interface World {
  readonly input: Input;
  readonly output: Output;
  readonly errorOutput: Output;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly signals: {
    on(signal: Signal, listener: () => void): unknown;
    off(signal: Signal, listener: () => void): unknown;
  };
}

/** The world as the process has it. Its streams are looked at only by who needs them. */
export const processWorld: World = {
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  get errorOutput() {
    return process.stderr;
  },
  get env() {
    return process.env;
  },
  get cwd() {
    return process.cwd();
  },
  signals: process,
};
