import type { Readable, Writable } from "node:stream";

/** stdin, or the stream of a test. */
export type Input = Readable & {
  readonly isTTY?: boolean;
  /** Of a terminal: in raw mode each key arrives as it is pressed. */
  setRawMode?(isRaw: boolean): unknown;
};

/** stdout or stderr, or the stream of a test. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Signals of the operating system, and `beforeExit`: the event loop is empty. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP" | "beforeExit";

/** The streams, environment and signals that a command uses. Text for people goes to `errorOutput`, results to `output`. */
export interface CommandIO {
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

/** The streams, environment and signals of this process. The streams are getters: Node opens stdin when it is first read. */
export const processIO: CommandIO = {
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

/** Writes a text; resolves when the stream has taken it, or has failed. */
export function write(output: Output, text: string): Promise<void> {
  return new Promise((resolve) => {
    output.write(text, () => resolve());
  });
}
