/** Apart from errors.ts: the thread of the module hooks needs it, and does not load @photon/core. */

/** A place in a file; lines and columns count from 1, as editors do. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** As terminals and editors link it: `/a/tool.ts:3:7`. */
export const formatLocation = ({ file, line, column }: SourceLocation): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

/** The location of an offset in a text. */
export function locationAt(file: string, text: string, offset: number): SourceLocation {
  const before = text.slice(0, offset).split("\n");
  return { file, line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
