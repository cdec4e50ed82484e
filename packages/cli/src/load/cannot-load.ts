import { sep } from "node:path";
import { PhotonError } from "@photon/core";

/** Where something is in a file; lines and columns count from 1, as editors do. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Tools could not be loaded: nothing found, a file that does not compile, a signature that cannot be read. */
export class CannotLoad extends PhotonError {
  override readonly name = "CannotLoad";
  readonly code = "CANNOT_LOAD";

  /** The same, its paths told as seen from a folder. */
  seenFrom(folder: string): CannotLoad {
    const prefix = folder.endsWith(sep) ? folder : folder + sep;
    return new CannotLoad(this.message.replaceAll(prefix, ""), { cause: this.cause });
  }
}

/** A place as terminals and editors make it a link: `/a/tool.ts:3:7`. */
export function showPlace({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

/** What is wrong at a place. */
export function cannotLoadAt(place: Place, sentence: string, options?: ErrorOptions): CannotLoad {
  return new CannotLoad(`${showPlace(place)}: ${sentence}`, options);
}

/** The place of an offset in a text. */
export function placeIn(file: string, text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { file, line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
