/**
 * The terminal: whether it can show prompts, colours and progress, and which symbols it has.
 *
 *   1. A person is prompted only if both stdin and stderr are terminals.
 *   2. If stderr is not a screen, only plain lines are written.
 *   3. `NO_COLOR` and `TERM=dumb` switch colours off.
 */
import { spawn } from "node:child_process";
import { type CommandIO, type Input, type Output, withWrite } from "../io.ts";
import { colorsFor, hasColors, isScreenAt, withoutColors, type Colors } from "./colors.ts";

export interface Terminal {
  readonly input: Input;
  /** Text for people goes to stderr. */
  readonly output: Output;
  /** Whether a person can be prompted. */
  readonly isInteractive: boolean;
  /** Whether the output can be drawn on. */
  readonly isScreen: boolean;
  readonly columns: number;
  readonly colors: Colors;
  readonly symbols: Symbols;
  readonly cwd: string;
  readonly cancelLabels: CancelLabels;
  /** Called when ctrl+c is pressed at a prompt. */
  readonly onInterrupt: () => void;
  /** Opens a URL in a browser; resolves with whether that was possible. */
  readonly open: (url: string) => Promise<boolean>;
}

/** What esc does at a prompt ("cancels"), and the message afterwards ("Cancelled."). */
export interface CancelLabels {
  readonly key: string;
  readonly done: string;
}

const CANCEL: CancelLabels = { key: "cancels", done: "Cancelled." };

interface TerminalOptions {
  /** Shows no prompts, even in a terminal. */
  readonly noInput: boolean;
  readonly cancelLabels?: CancelLabels;
  readonly onInterrupt: () => void;
}

export function openTerminal(
  io: CommandIO,
  { noInput, cancelLabels = CANCEL, onInterrupt }: TerminalOptions,
): Terminal {
  const { errorOutput, env, cwd } = io;
  const isScreen = isScreenAt(errorOutput, env);
  return {
    get input() {
      return io.input;
    },
    output: isScreen && !hasColors(errorOutput, env) ? uncolored(errorOutput) : errorOutput,
    isInteractive: isScreen && !noInput && io.input.isTTY === true,
    isScreen,
    get columns() {
      return errorOutput.columns ?? 80;
    },
    colors: colorsFor(errorOutput, env),
    symbols: symbolsFor(env),
    cwd,
    cancelLabels,
    onInterrupt,
    open: openUrl,
  };
}

/** Removes colours from what clack writes: it does not know the `NO_COLOR` of the command. */
function uncolored(output: Output): Output {
  // clack writes texts only.
  const write = (text: string, done?: () => void): boolean => output.write(withoutColors(text), done);
  return withWrite(output, write as Output["write"]);
}

/** The characters that lines are drawn with. The same as those of clack, so that output and prompts share one column. */
interface Symbols {
  readonly bar: string;
  readonly end: string;
  readonly done: string;
  readonly frames: readonly string[];
  readonly full: string;
  readonly empty: string;
  readonly star: string;
  readonly noStar: string;
}

const UNICODE: Symbols = {
  bar: "│",
  end: "└",
  done: "◇",
  frames: ["◒", "◐", "◓", "◑"],
  full: "━",
  empty: "─",
  star: "★",
  noStar: "☆",
};
const ASCII: Symbols = {
  bar: "|",
  end: "—",
  done: "o",
  frames: ["•", "o", "O", "0"],
  full: "=",
  empty: "-",
  star: "*",
  noStar: ".",
};

/** The console of Linux and the old console of Windows have few characters. */
function symbolsFor(env: { readonly [name: string]: string | undefined }): Symbols {
  const isOldWindows =
    process.platform === "win32" && env["WT_SESSION"] === undefined && env["TERM_PROGRAM"] !== "vscode";
  return env["TERM"] === "linux" || isOldWindows ? ASCII : UNICODE;
}

/** The command that opens a URL. Not through a shell, which would read the URL as a command. */
function openerFor(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

/** Opens an http or https URL in the browser of the platform; resolves with whether that was possible. */
function openUrl(url: string): Promise<boolean> {
  const { protocol, href } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return Promise.resolve(false);
  const [command, ...args] = openerFor(process.platform);
  return new Promise((resolve) => {
    const opener = spawn(command, [...args, href], { detached: true, stdio: "ignore" });
    opener.once("error", () => resolve(false));
    opener.once("spawn", () => {
      // The browser may outlive the run.
      opener.unref();
      resolve(true);
    });
  });
}
