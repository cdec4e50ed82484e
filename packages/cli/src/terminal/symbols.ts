/** What lines are drawn with: as clack draws its prompts, so that everything stands in one column. */
export interface Symbols {
  readonly bar: string;
  readonly end: string;
  readonly done: string;
  readonly frames: readonly string[];
  readonly full: string;
  readonly empty: string;
  readonly star: string;
  readonly noStar: string;
}

const FINE: Symbols = {
  bar: "│",
  end: "└",
  done: "◇",
  frames: ["◒", "◐", "◓", "◑"],
  full: "━",
  empty: "─",
  star: "★",
  noStar: "☆",
};
const COARSE: Symbols = {
  bar: "|",
  end: "—",
  done: "o",
  frames: ["•", "o", "O", "0"],
  full: "=",
  empty: "-",
  star: "*",
  noStar: ".",
};

/** Those that the terminal can show: the console of Linux, and the old one of Windows, know few. */
export function symbolsFor(env: { readonly [name: string]: string | undefined }): Symbols {
  const isOldWindows =
    process.platform === "win32" && env["WT_SESSION"] === undefined && env["TERM_PROGRAM"] !== "vscode";
  return env["TERM"] === "linux" || isOldWindows ? COARSE : FINE;
}
