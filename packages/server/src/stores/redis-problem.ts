/** What a Redis, or the way to it, says, in our words. */
import { StoreUnavailable } from "./store-unavailable.ts";

const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/\bREADONLY\b/, "it is read-only"],
  [/\bOOM\b/, "it is full"],
  [/\bMISCONF\b/, "it cannot write to its disk"],
  [/\bNOREPLICAS\b/, "it has too few replicas to write"],
  [
    /\b(?:WRONGPASS|NOAUTH)\b|invalid password/,
    "it does not accept the name and the password of its address",
  ],
  [/\bNOPERM\b/, "its user may not do that"],
  [/\b(?:LOADING|MASTERDOWN|BUSY)\b/, "it is not ready"],
  [/timed out|ETIMEDOUT|Socket timeout/i, "it did not answer within seconds"],
  [/Connection is closed|MaxRetries|max retries|aborted|ECONNRESET|EPIPE/i, "the connection to it was lost"],
];

export function redisProblem(error: unknown, name: string): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const cause = copyOf(error);
  const known = PROBLEMS.find(([pattern]) => pattern.test(cause.message));
  return new StoreUnavailable(name, known?.[1] ?? `it cannot be reached (${cause.message})`, { cause });
}

/** What an error says; not the command it came of, in which there may be a password. */
function copyOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = "code" in error ? String(error.code) : undefined;
  // Of several addresses that were tried, the error says nothing itself.
  const copy = new Error(error.message === "" ? (code ?? error.name) : error.message);
  return code === undefined ? copy : Object.assign(copy, { code });
}
