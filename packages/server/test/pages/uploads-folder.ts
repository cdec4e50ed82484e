/** Where uploads go in the tests of one file, and nothing else does. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

export interface UploadsFolder {
  /** The folders that are there. */
  readonly left: () => readonly string[];
  /** How large the files are that have been begun, in bytes. */
  readonly sizes: () => readonly number[];
}

export function uploadsFolder(): UploadsFolder {
  const folder = mkdtempSync(join(tmpdir(), "photon-test-"));
  const before = process.env["TMPDIR"];
  beforeAll(() => {
    process.env["TMPDIR"] = folder;
  });
  afterAll(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true });
  });
  const left = (): readonly string[] => readdirSync(folder);
  return {
    left,
    sizes: () =>
      left()
        .flatMap((name) => readdirSync(join(folder, name)).map((file) => statSync(join(folder, name, file))))
        .filter((entry) => entry.isFile())
        .map(({ size }) => size),
  };
}
