/**
 * A real terminal for a test: a command in it, a person who types, and the screen as that person sees it.
 *
 * `script` (bsdutils, on every Debian) opens the pseudo-terminal, `@xterm/headless`
 * turns what is written to it into a screen. Nothing is waited for but the screen.
 *
 * The command is a process, or a function in the process of the test: its streams are those of the pseudo-terminal all the
 * same, but the terminal does not control this process, so ctrl+c is a signal only to a command that is a process.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ReadStream, WriteStream } from "node:tty";
import xterm from "@xterm/headless";
import type { CommandIO } from "../../src/io.ts";

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
  /** What a shell is told to do with the command. */
  readonly shell?: (command: string) => string;
}

/** A command that runs in this process, to its exit code. */
export type CommandHere = (io: CommandIO) => Promise<number>;

/** How long a screen is waited for before the test fails with what it shows instead. */
const PATIENCE = 10_000;

/** How long a person looks at a question before a key is pressed: a little more than a dangerous one takes. */
const READING_TIME = 400;

const TERMINAL = { TERM: "xterm-256color", LANG: "C.UTF-8" };

/** Says which terminal it is, and keeps it open. */
const OPEN_FOR_US = "tty && echo $$ && exec sleep infinity";

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

  constructor(command: readonly string[] | CommandHere, options: PseudoTerminalOptions) {
    const { cwd, env = {}, columns = 80, rows = 40, shell = (line) => `exec ${line}` } = options;
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
    const isHere = typeof command === "function";
    const line = isHere ? OPEN_FOR_US : shell(quoted(["env", ...settingsOf(env), ...command]));
    this.#process = spawn("script", ["-qefc", `stty cols ${columns} rows ${rows} && ${line}`, "/dev/null"], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: cwd, SHELL: "/bin/sh", ...TERMINAL },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const closed = once(this.#process, "close") as Promise<[code: number | null]>;
    const ended = isHere ? this.#runHere(command, { cwd, env, closed }) : this.#show(closed);
    this.#exit = ended.then((code) => {
      this.#isOver = true;
      this.#look();
      return code;
    });
  }

  /** Shows what a process writes; resolves to its exit code. */
  async #show(closed: Promise<[code: number | null]>): Promise<number> {
    this.#process.stdout?.on("data", (data: Buffer) => this.#write(data));
    const [code] = await closed;
    await this.#parsed();
    return code ?? -1;
  }

  /** Runs a command with the streams of the terminal; resolves to its exit code. */
  async #runHere(
    command: CommandHere,
    { cwd, env, closed }: Pick<CommandIO, "cwd" | "env"> & { readonly closed: Promise<unknown> },
  ): Promise<number> {
    const { path, holder } = await this.#opened();
    const open = (flags: string): number => openSync(path, flags);
    const input = new ReadStream(open("r"));
    // The command that stops listening lets go of stdin; a terminal that is closed is no error here.
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

  /** The pseudo-terminal, and the process that keeps it open. Their names are not shown. */
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
      this.#process.once("close", () => reject(new Error(`There is no pseudo-terminal: ${head}`)));
    });
  }

  #write(data: Buffer): void {
    this.#raw += data.toString("latin1");
    this.#screen.write(data, () => this.#look());
  }

  /** Resolves when the screen has what came last. */
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

  /** Takes the time of a person who reads. It is part of what is typed: a dangerous question takes no quicker answer. */
  async read(): Promise<void> {
    await delay(READING_TIME);
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
      const timer = setTimeout(() => fail("Too much time went by"), PATIENCE);
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

  /** Ends what is still there. */
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
