/**
 * A command in a pseudo-terminal, and its screen.
 *
 * `script` (bsdutils, on every Debian) opens the terminal, `@xterm/headless` makes a screen of what is written to it.
 */
import { spawn } from "node:child_process";
import xterm from "@xterm/headless";

/** How long a screen is waited for, in milliseconds. */
const PATIENCE = 30_000;

/**
 * A piece of a row in one look.
 *
 * @typedef {{ readonly column: number, text: string, readonly colour: number, readonly isDim: boolean, readonly isBold: boolean }} Piece
 */

export class Recording {
  /** @readonly */
  #screen;
  /** @readonly */
  #process;
  /** @readonly */
  #ended;

  /**
   * @param {string} command as a shell takes it
   * @param {{ readonly columns: number, readonly rows: number, readonly cwd: string }} options
   */
  constructor(command, { columns, rows, cwd }) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#process = spawn(
      "script",
      ["-qefc", `stty cols ${columns} rows ${rows} && ${command}`, "/dev/null"],
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
    this.#process.stdout.on("data", (/** @type {Buffer} */ data) => this.#screen.write(data));
    /** @type {Promise<number | null>} */
    this.#ended = new Promise((resolve) => {
      this.#process.once("close", (code) => this.#screen.write("", () => resolve(code)));
    });
  }

  /** @param {string} keys */
  type(keys) {
    this.#process.stdin.write(keys);
  }

  /**
   * Settles once the screen shows this.
   *
   * @param {string} text
   * @returns {Promise<void>}
   */
  shows(text) {
    return new Promise((resolve, reject) => {
      const isThere = () => this.#text().includes(text);
      const timer = setTimeout(
        () => end(() => reject(new Error(`No "${text}" in:\n${this.#text()}`))),
        PATIENCE,
      );
      const looking = this.#screen.onWriteParsed(() => isThere() && end(resolve));
      /** @param {() => void} settle */
      function end(settle) {
        clearTimeout(timer);
        looking.dispose();
        settle();
      }
      if (isThere()) end(resolve);
    });
  }

  /** Settles when the command has ended, well. */
  async end() {
    const code = await this.#ended;
    if (code !== 0) throw new Error(`The command ended with ${String(code)}:\n${this.#text()}`);
  }

  /** The rows of the screen, in pieces that look the same; without the empty ones at its end. */
  screen() {
    const rows = this.#lines().map(piecesOf);
    while (rows.at(-1)?.length === 0) rows.pop();
    return rows;
  }

  #lines() {
    const { active } = this.#screen.buffer;
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)).filter(
      (line) => line !== undefined,
    );
  }

  #text() {
    return this.#lines()
      .map((line) => line.translateToString(true))
      .join("\n")
      .trimEnd();
  }
}

/**
 * @param {xterm.IBufferLine} line
 * @returns {readonly Piece[]}
 */
function piecesOf(line) {
  /** @type {Piece[]} */
  const pieces = [];
  for (let column = 0; column < line.translateToString(true).length; column++) {
    const cell = line.getCell(column);
    if (cell === undefined) continue;
    const look = {
      colour: cell.isFgPalette() ? cell.getFgColor() : -1,
      isDim: cell.isDim() !== 0,
      isBold: cell.isBold() !== 0,
    };
    const last = pieces.at(-1);
    const isSame = last?.colour === look.colour && last.isDim === look.isDim && last.isBold === look.isBold;
    if (isSame) last.text += cell.getChars() || " ";
    else pieces.push({ column, text: cell.getChars() || " ", ...look });
  }
  return pieces.filter(({ text }) => text.trim() !== "");
}
