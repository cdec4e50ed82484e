import { PhotonError } from "@photon/core";
import type { Entry } from "./log.ts";

/** What went wrong, and where in the tools' files, as an entry of the log. */
export function errorEntry(error: unknown, files: readonly string[]): Entry {
  if (!(error instanceof Error)) return { level: "error", message: String(error) };
  const { message, name } = error;
  // Photon's own are sentences; what others throw is told with its name.
  const isSentence = error instanceof PhotonError || name === "Error";
  const what = isSentence ? message || name : `${name}: ${message}`;
  const stack = error.stack ?? "";
  const place = placeIn(stack, files);
  return {
    level: isWarning(error) ? "warning" : "error",
    message: place === undefined || what.includes(place) ? what : `${what} (${place})`,
    stack,
    ...(error instanceof PhotonError ? { data: { code: error.code } } : {}),
  };
}

/** The innermost place in a file of the tools. */
function placeIn(stack: string, files: readonly string[]): string | undefined {
  const places = [...stack.matchAll(/(?:\(|at )(?:file:\/\/)?(\/[^()]*?):(\d+):(\d+)\)?$/gm)];
  const found = places.find(([, file = ""]) => files.includes(file));
  return found === undefined ? undefined : found.slice(1).join(":");
}

const isWarning = (error: Error): boolean => error instanceof PhotonError && error.code === "MANY_ROUNDS";
