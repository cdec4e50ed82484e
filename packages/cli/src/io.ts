/** What a command uses of its surroundings: streams, environment, signals, and the package that it belongs to. */
import { readFileSync } from "node:fs";
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

export const withWrite = (stream: Output, writeTo: Output["write"]): Output =>
  new Proxy(stream, {
    get(target, name) {
      if (name === "write") return writeTo;
      const member: unknown = Reflect.get(target, name, target);
      // A method of a stream must be called on the stream itself; `bind` returns such a method.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });

/** Erases the progress on the last line of a terminal. */
export const ERASE_LINE = "\r\u001B[2K";

/**
 * Keeps stdout for the result: other writes to it, such as `console.log` in a tool, go to stderr until `restore`. Write
 * results to the returned `io`.
 */
export function redirectStdout(io: CommandIO): { readonly io: CommandIO; readonly restore: () => void } {
  const { output, errorOutput } = io;
  const writeToStdout = output.write.bind(output);
  const writeToStderr = errorOutput.write.bind(errorOutput);
  // The arguments are those of `write`, in any of its overloads.
  output.write = ((...args: Parameters<Output["write"]>) => {
    if (errorOutput.isTTY === true) writeToStderr(ERASE_LINE);
    return writeToStderr(...args);
  }) as Output["write"];
  return {
    io: Object.create(io, { output: { value: withWrite(output, writeToStdout) } }) as CommandIO,
    restore() {
      output.write = writeToStdout;
    },
  };
}

/** The folder of this package; `src` and `dist` are both directly below it. */
export const packageRoot: URL = new URL("../", import.meta.url);

/** The version of this package, as its package.json has it. */
export function version(): string {
  const text = readFileSync(new URL("package.json", packageRoot), "utf8");
  // Our own package.json, beside `dist` and `src` alike; npm does not publish one without a version.
  const manifest = JSON.parse(text) as { readonly version: string };
  return manifest.version;
}
