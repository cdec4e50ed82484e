/**
 * What the terminal can do, for prompts and output.
 *
 *   1. A person is prompted only if both stdin and stderr are terminals.
 *   2. If stderr is not a screen, only plain lines are written.
 *   3. `NO_COLOR` and `TERM=dumb` switch colours off.
 */
import { spawn } from "node:child_process";
import type { Input, Output, CommandIO } from "../io.ts";
import { createColors, type Colors } from "./colors.ts";
import { withoutColors } from "./text.ts";

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
  const isScreen = errorOutput.isTTY === true && env["TERM"] !== "dumb";
  const color = isScreen && (env["NO_COLOR"] ?? "") === "";
  return {
    get input() {
      return io.input;
    },
    output: isScreen && !color ? uncolored(errorOutput) : errorOutput,
    isInteractive: isScreen && !noInput && io.input.isTTY === true,
    isScreen,
    get columns() {
      return errorOutput.columns ?? 80;
    },
    colors: createColors(color),
    symbols: symbolsFor(env),
    cwd,
    cancelLabels,
    onInterrupt,
    open: openUrl,
  };
}

/** Removes colours from what clack writes: it does not know the `NO_COLOR` of the command. */
function uncolored(output: Output): Output {
  return new Proxy(output, {
    get(target, name) {
      if (name === "write")
        return (text: string, done?: () => void) => target.write(withoutColors(text), done);
      const member: unknown = Reflect.get(target, name, target);
      // A stream's own methods must be called on the stream itself; what comes of `bind` is such a method.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
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
