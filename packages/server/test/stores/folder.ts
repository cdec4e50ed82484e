import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "photon-store-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}
