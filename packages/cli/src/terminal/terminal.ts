/**
 * The terminal a person sits at, or what there is in its place.
 *
 *   1. A person is asked only where both what is read and what is written is a terminal.
 *   2. Where the output is no screen, nothing is written but plain lines.
 *   3. Colours are given only where they are wanted: `NO_COLOR`, `TERM=dumb`.
 */
import type { Input, Output, CommandIO } from "../io.ts";
import { openAddress } from "./open-address.ts";
import { withoutColors } from "./clean-text.ts";
import { paintIn, type Paint } from "./paint.ts";
import { symbolsFor, type Symbols } from "./symbols.ts";

export interface Terminal {
  readonly input: Input;
  /** Where human text goes: stderr. */
  readonly output: Output;
  /** Whether there is a person to be prompted. */
  readonly isInteractive: boolean;
  /** Whether the output can be drawn on. */
  readonly isScreen: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly paint: Paint;
  readonly symbols: Symbols;
  readonly cwd: string;
  /** What it is to leave a prompt. */
  readonly leaving: Leaving;
  /** Hears that ctrl+c was pressed at a prompt. */
  readonly interrupted: () => void;
  /** Opens a web address; whether that was possible. */
  readonly open: (url: string) => Promise<boolean>;
}

/** What it is to leave a prompt: what the key does, and what is said once that was done. */
export interface Leaving {
  readonly key: string;
  readonly said: string;
}

const CANCELLING: Leaving = { key: "cancels", said: "Cancelled." };

interface TerminalOptions {
  /** Whether nobody may be prompted, even where there is a terminal. */
  readonly noInput?: boolean;
  readonly leaving?: Leaving;
  readonly interrupted?: () => void;
  readonly open?: (url: string) => Promise<boolean>;
}

export function openTerminal(io: CommandIO, options: TerminalOptions = {}): Terminal {
  const { errorOutput, env, cwd } = io;
  const { noInput = false, leaving = CANCELLING, interrupted = () => {}, open = openAddress } = options;
  const isScreen = errorOutput.isTTY === true && env["TERM"] !== "dumb";
  const color = isScreen && (env["NO_COLOR"] ?? "") === "";
  return {
    get input() {
      return io.input;
    },
    output: isScreen && !color ? uncolored(errorOutput) : errorOutput,
    isInteractive: isScreen && !noInput && io.input.isTTY === true,
    isScreen,
    color,
    get columns() {
      return errorOutput.columns ?? 80;
    },
    paint: paintIn(color),
    symbols: symbolsFor(env),
    cwd,
    leaving,
    interrupted,
    open,
  };
}

/** The same output for who does not know that no colours are wanted. */
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
