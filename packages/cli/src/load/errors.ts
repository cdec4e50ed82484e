import { sep } from "node:path";
import { PhotonError } from "@photon/core";
import { formatLocation, type SourceLocation } from "./source-location.ts";

/** Tools cannot be loaded: no tool file, a file that does not compile, a signature that is not supported. */
export class LoadError extends PhotonError {
  override readonly name = "LoadError";
  readonly code = "CANNOT_LOAD";

  /** The same error, with paths relative to a folder. */
  relativeTo(folder: string): LoadError {
    const prefix = folder.endsWith(sep) ? folder : folder + sep;
    return new LoadError(this.message.replaceAll(prefix, ""), { cause: this.cause });
  }
}

export function loadErrorAt(location: SourceLocation, sentence: string, options?: ErrorOptions): LoadError {
  return new LoadError(`${formatLocation(location)}: ${sentence}`, options);
}

/** The message of an error, or what was thrown in its place. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
