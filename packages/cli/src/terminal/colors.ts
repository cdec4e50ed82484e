/** Colours of the command's own text. */
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

/** Colours for an output: only on a screen, and not with `NO_COLOR`. */
export const colorsFor = (output: Output, env: CommandIO["env"]): Colors =>
  createColors(output.isTTY === true && (env["NO_COLOR"] ?? "") === "");
