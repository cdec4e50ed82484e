/** A folder with files in it, of its own for each test, and gone after it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface TemporaryProject {
  readonly folder: string;
  readonly cache: string;
  readonly path: (name: string) => string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
}

/**
 * Core as an installed package has it. Tests run with a condition under which ours is its sources, and those
 * would be compiled anew for each of them.
 */
const CORE = {
  "node_modules/@photon/core/package.json": '{ "type": "module", "exports": "./index.js" }',
  "node_modules/@photon/core/index.js": `export * from ${JSON.stringify(new URL("../../../core/dist/index.js", import.meta.url).href)};`,
};

/** Files by their names; what is loaded from them is cached in a folder that goes with them. */
export function temporaryProject(files: Readonly<Record<string, string>> = {}): TemporaryProject {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "photon-load-")));
  const folder = join(home, "project");
  const before = process.env["XDG_CACHE_HOME"];
  process.env["XDG_CACHE_HOME"] = home;
  onTestFinished(() => {
    if (before === undefined) delete process.env["XDG_CACHE_HOME"];
    else process.env["XDG_CACHE_HOME"] = before;
    rmSync(home, { recursive: true, force: true });
  });
  const made: TemporaryProject = {
    folder,
    cache: join(home, "photon"),
    path: (name) => join(folder, name),
    write(more) {
      for (const [name, text] of Object.entries(more)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
    },
  };
  mkdirSync(folder, { recursive: true });
  made.write({ ...CORE, ...files });
  return made;
}
