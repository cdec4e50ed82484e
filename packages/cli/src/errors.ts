/** The errors that end a command: one sentence, exit code 2. Those of a call are in call/errors.ts. */
import { sep } from "node:path";
import { PhotonError } from "@photon/core";
import { formatLocation, type SourceLocation } from "./sources/source-locations.ts";

/** The command cannot be carried out as it was typed. */
export class UsageError extends PhotonError {
  override readonly name = "UsageError";
  readonly code = "USAGE";
}

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

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you have no permission",
  EPERM: "you have no permission",
};

/** Why a file cannot be read, as the end of a sentence. */
export function readProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return READ_PROBLEMS[code ?? ""] ?? message;
}
