/**
 * A real terminal for a test: a command in it, keys that are typed, and the screen.
 *
 * `script` (bsdutils, on every Debian) opens the pseudo-terminal, `@xterm/headless`
 * turns what is written to it into a screen. Tests wait for what the screen shows, and for nothing else.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import xterm from "@xterm/headless";

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

/** How long a test waits for the screen before it fails with what the screen shows. */
const TIMEOUT_MS = 10_000;

/** How long a person looks at a question before a key is pressed: a little more than a dangerous one takes. */
const READING_TIME_MS = 400;

export class PseudoTerminal {
  readonly #process: ChildProcess;
  readonly #screen: xterm.Terminal;
  readonly #looks = new Set<() => void>();
  readonly #exit: Promise<number>;
  #raw = "";
  #isOver = false;

  constructor(command: readonly string[], options: PseudoTerminalOptions) {
    const { cwd, env = {}, columns = 80, rows = 40, shell = (line) => `exec ${line}` } = options;
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = ["env", ...settings, ...command]
      .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
      .join(" ");
    this.#process = spawn(
      "script",
      ["-qefc", `stty cols ${columns} rows ${rows} && ${shell(words)}`, "/dev/null"],
      {
        cwd,
        env: {
          PATH: process.env["PATH"],
          HOME: cwd,
          SHELL: "/bin/sh",
          TERM: "xterm-256color",
          LANG: "C.UTF-8",
        },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    this.#process.stdout?.on("data", (data: Buffer) => {
      this.#raw += data.toString("latin1");
      this.#screen.write(data, () => this.#look());
    });
    this.#exit = new Promise((resolve) => {
      this.#process.once("close", (code) => {
        // Runs after the last output has been parsed.
        this.#screen.write("", () => {
          this.#isOver = true;
          this.#look();
          resolve(code ?? -1);
        });
      });
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
