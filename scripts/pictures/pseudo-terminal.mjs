/**
 * A command in a pseudo-terminal, with its screen.
 *
 * `script` (bsdutils, part of every Debian) opens the pseudo-terminal; `@xterm/headless` renders its output.
 */
import { spawn } from "node:child_process";
import xterm from "@xterm/headless";

const SCREEN_TIMEOUT_MS = 30_000;

/**
 * A piece of a row with one colour and style.
 *
 * @typedef {{ readonly column: number, text: string, readonly colour: number, readonly isDim: boolean, readonly isBold: boolean }} Piece
 */

export class PseudoTerminal {
  /** @readonly */
  #screen;
  /** @readonly */
  #process;
  /** @readonly */
  #ended;

  /**
   * @param {string} command a shell command
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
   * Resolves when the screen shows this text.
   *
   * @param {string} text
   * @returns {Promise<void>}
   */
  waitForText(text) {
    return new Promise((resolve, reject) => {
      const isShown = () => this.#text().includes(text);
      const timer = setTimeout(
        () => stop(() => reject(new Error(`No "${text}" in:\n${this.#text()}`))),
        SCREEN_TIMEOUT_MS,
      );
      const subscription = this.#screen.onWriteParsed(() => isShown() && stop(resolve));
      /** @param {() => void} settle */
      function stop(settle) {
        clearTimeout(timer);
        subscription.dispose();
        settle();
      }
      if (isShown()) stop(resolve);
    });
  }

  /** Waits for the end of the command. Rejects if its exit code is not 0. */
  async waitForExit() {
    const code = await this.#ended;
    if (code !== 0) throw new Error(`The command ended with ${String(code)}:\n${this.#text()}`);
  }

  /** The rows of the screen, in pieces of one style; without empty rows at the end. */
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
    const style = {
      colour: cell.isFgPalette() ? cell.getFgColor() : -1,
      isDim: cell.isDim() !== 0,
      isBold: cell.isBold() !== 0,
    };
    const last = pieces.at(-1);
    const isSame =
      last?.colour === style.colour && last.isDim === style.isDim && last.isBold === style.isBold;
    if (isSame) last.text += cell.getChars() || " ";
    else pieces.push({ column, text: cell.getChars() || " ", ...style });
  }
  return pieces.filter(({ text }) => text.trim() !== "");
}
