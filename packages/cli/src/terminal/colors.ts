/** Colours of the output. A server loads this file for its log, and nothing else of the terminal. */
import { styleText } from "node:util";
import type { CommandIO, Output } from "../io.ts";

const STYLES = ["bold", "dim", "red", "green", "yellow", "magenta", "cyan", "gray"] as const;

export type Colors = { readonly [style in (typeof STYLES)[number]]: (text: string) => string };

/** With `isEnabled` false, the functions return the text as it is. `styleText` itself would look at `process.env`, not at the environment of the command. */
export function createColors(isEnabled: boolean): Colors {
  const styles = STYLES.map((style) => [
    style,
    (text: string) => (isEnabled && text !== "" ? styleText(style, text, { validateStream: false }) : text),
  ]);
  // One function for each style of the list.
  return Object.fromEntries(styles) as Colors;
}

/** Whether the output is a terminal that can be drawn on. */
export const isScreenAt = (output: Output, env: CommandIO["env"]): boolean =>
  output.isTTY === true && env["TERM"] !== "dumb";

export const hasColors = (output: Output, env: CommandIO["env"]): boolean =>
  isScreenAt(output, env) && (env["NO_COLOR"] ?? "") === "";

export const colorsFor = (output: Output, env: CommandIO["env"]): Colors =>
  createColors(hasColors(output, env));

const COLOR_SEQUENCE = "\\u001B\\[(?:[349]\\d|10[0-7])(?:;\\d+)*m";
const colorSequences = new RegExp(COLOR_SEQUENCE, "g");

/** Removes colours only: `NO_COLOR` does not concern the cursor and other styles. */
export const withoutColors = (text: string): string => text.replaceAll(colorSequences, "");
