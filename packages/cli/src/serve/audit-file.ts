/** `--audit`: a file with one line of JSON for each answered question. */
import { openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type { Audit } from "@photon/server";
import { UsageError } from "../errors.ts";

/** Opens the file for appending; only its owner may read it. An entry that cannot be written is reported, and the call continues. */
export function openAudit(path: string, cwd: string, report: (error: unknown) => void): Audit {
  const file = open(path, cwd);
  return ({ at, ...entry }) => {
    try {
      // Synchronous: the line is in the file before the tool continues with the answer.
      writeSync(file, `${JSON.stringify({ time: new Date(at).toISOString(), ...entry })}\n`);
    } catch (error) {
      report(error);
    }
  };
}

function open(path: string, cwd: string): number {
  try {
    return openSync(resolve(cwd, path), "a", 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The audit cannot be written to ${path} (${reason}).`, { cause: error });
  }
}
