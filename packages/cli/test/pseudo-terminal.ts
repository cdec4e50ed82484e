/**
 * A real terminal for a test: a command in it, keys that are typed, and the screen.
 *
 * `script` (bsdutils, on every Debian) opens the pseudo-terminal, `@xterm/headless`
 * turns what is written to it into a screen. Tests wait for what the screen shows, and for nothing else.
 *
 * The command is a process, or a function in the process of the test, with the streams of the pseudo-terminal. The
 * pseudo-terminal does not control the process of the test, so ctrl+c is a signal only to a command that is a process.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ReadStream, WriteStream } from "node:tty";
import xterm from "@xterm/headless";
import type { CommandIO } from "../src/io.ts";

const KEYS = {
  enter: "\r",
  escape: "\u001B",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  space: " ",
  tab: "\t",
  backspace: "\u007F",
  "ctrl+c": "\u0003",
  "ctrl+d": "\u0004",
  "ctrl+u": "\u0015",
} as const;

export type KeyName = keyof typeof KEYS;

export interface PseudoTerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The shell line that runs the command. */
  readonly shell?: (command: string) => string;
}

/** A command that runs in the process of the test; resolves with its exit code. */
export type InProcessCommand = (io: CommandIO) => Promise<number>;

/** How long a test waits for the screen before it fails with what the screen shows. */
const TIMEOUT_MS = 10_000;

/** How long a person looks at a question before a key is pressed: a little more than a dangerous one takes. */
const READING_TIME_MS = 400;

const TERMINAL = { TERM: "xterm-256color", LANG: "C.UTF-8" };

/** Prints the path of the pseudo-terminal and the id of the process that then keeps it open. */
const NAME_AND_HOLD = "tty && echo $$ && exec sleep infinity";

const settingsOf = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

export class PseudoTerminal {
  readonly #process: ChildProcess;
  readonly #screen: xterm.Terminal;
  readonly #looks = new Set<() => void>();
  readonly #exit: Promise<number>;
  #raw = "";
  #isOver = false;

  constructor(command: readonly string[] | InProcessCommand, options: PseudoTerminalOptions) {
    const { cwd, env = {}, columns = 80, rows = 40, shell = (line) => `exec ${line}` } = options;
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
    const isInProcess = typeof command === "function";
    const line = isInProcess ? NAME_AND_HOLD : shell(quoted(["env", ...settingsOf(env), ...command]));
    this.#process = spawn("script", ["-qefc", `stty cols ${columns} rows ${rows} && ${line}`, "/dev/null"], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: cwd, SHELL: "/bin/sh", ...TERMINAL },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const closed = once(this.#process, "close") as Promise<[code: number | null]>;
    const ended = isInProcess ? this.#runInProcess(command, { cwd, env, closed }) : this.#show(closed);
    this.#exit = ended.then((code) => {
      this.#isOver = true;
      this.#look();
      return code;
    });
  }

  /** Shows what a process writes; resolves with its exit code. */
  async #show(closed: Promise<[code: number | null]>): Promise<number> {
    this.#process.stdout?.on("data", (data: Buffer) => this.#write(data));
    const [code] = await closed;
    await this.#parsed();
    return code ?? -1;
  }

  /** Runs a command with the streams of the pseudo-terminal; resolves with its exit code. */
  async #runInProcess(
    command: InProcessCommand,
    { cwd, env, closed }: Pick<CommandIO, "cwd" | "env"> & { readonly closed: Promise<unknown> },
  ): Promise<number> {
    const { path, holder } = await this.#opened();
    const open = (flags: string): number => openSync(path, flags);
    const input = new ReadStream(open("r"));
    // A terminal that is closed while it is read is no error here.
    input.on("error", () => {});
    const [output, errorOutput] = [new WriteStream(open("w")), new WriteStream(open("w"))];
    const signals = new EventEmitter();
    const hangUp = (): boolean => signals.emit("SIGHUP");
    this.#process.once("close", hangUp);
    try {
      return await command({
        input,
        output,
        errorOutput,
        env: { PATH: process.env["PATH"], HOME: cwd, ...TERMINAL, ...env },
        cwd,
        signals,
      });
    } finally {
      this.#process.off("close", hangUp);
      for (const stream of [input, output, errorOutput]) stream.destroy();
      if (!hasEnded(this.#process)) process.kill(holder, "SIGKILL");
      await closed;
      await this.#parsed();
    }
  }

  /** Reads what `NAME_AND_HOLD` prints, which is not shown. */
  #opened(): Promise<{ readonly path: string; readonly holder: number }> {
    return new Promise((resolve, reject) => {
      let head: string | undefined = "";
      this.#process.stdout?.on("data", (data: Buffer) => {
        if (head === undefined) return this.#write(data);
        head += data.toString("latin1");
        const [, path, holder] = /^(.+)\r\n(\d+)\r\n$/.exec(head) ?? [];
        if (path === undefined) return;
        head = undefined;
        resolve({ path, holder: Number(holder) });
      });
      this.#process.once("close", () => reject(new Error(`script opened no pseudo-terminal: ${head}`)));
    });
  }

  #write(data: Buffer): void {
    this.#raw += data.toString("latin1");
    this.#screen.write(data, () => this.#look());
  }

  /** Resolves when the last output has been parsed. */
  #parsed(): Promise<void> {
    return new Promise((resolve) => {
      this.#screen.write("", resolve);
    });
  }

  /** Types text as it is. */
  type(text: string): void {
    this.#process.stdin?.write(text);
  }

  /** Pastes text as a terminal does: line ends are returns, and the whole is marked where the program asked for that. */
  paste(text: string): void {
    const { bracketedPasteMode } = this.#screen.modes;
    const typed = text.replaceAll("\n", "\r");
    this.type(bracketedPasteMode ? `\u001B[200~${typed}\u001B[201~` : typed);
  }

  press(...keys: readonly KeyName[]): void {
    for (const key of keys) this.type(KEYS[key]);
  }

  /** Waits as long as a person reads: a dangerous question takes no quicker answer. */
  async read(): Promise<void> {
    await delay(READING_TIME_MS);
  }

  /** Everything that was written, rows that have scrolled away included. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    );
    return rows.join("\n").trimEnd();
  }

  /** What was written, byte by byte, escape sequences included. */
  get raw(): string {
    return this.#raw;
  }

  /** Settles with the screen once it shows this. */
  shows(what: string | RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#looks.delete(look);
        settle();
      };
      const fail = (why: string): void =>
        end(() => reject(new Error(`${why} before the screen showed ${String(what)}:\n${this.text}`)));
      const timer = setTimeout(() => fail("The time ran out"), TIMEOUT_MS);
      const look = (): void => {
        const { text } = this;
        const isThere = typeof what === "string" ? text.includes(what) : what.test(text);
        if (isThere) end(() => resolve(text));
        else if (this.#isOver) fail("The command ended");
      };
      this.#looks.add(look);
      look();
    });
  }

  /** Settles with the exit code of the command. */
  get exit(): Promise<number> {
    return this.#exit;
  }

  /** Ends the command. */
  async close(): Promise<void> {
    if (!this.#isOver) this.#process.kill("SIGHUP");
    this.#process.stdin?.destroy();
    await this.#exit;
    this.#screen.dispose();
  }

  #look(): void {
    for (const look of this.#looks) look();
  }
}
