import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { installIn, lockOf } from "./install-in.ts";

/** A folder in which npm has nothing to download, and each installation appends a line. */
function packageFolder(): { readonly folder: string; readonly log: () => string } {
  const folder = mkdtempSync(join(tmpdir(), "photon-install-in-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = { name: "one", version: "1.0.0" };
  const install = `mkdir -p node_modules && echo installed >> ${folder}/log`;
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ ...manifest, scripts: { postinstall: install } }),
  );
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { "": { ...manifest } } }),
  );
  return { folder, log: () => readFileSync(join(folder, "log"), "utf8") };
}

describe("packages apart from the workspaces", { timeout: 60_000 }, () => {
  it("are installed once, although several tests need them at the same time", async () => {
    const { folder, log } = packageFolder();
    await Promise.all([installIn(folder), installIn(folder), installIn(folder)]);
    await installIn(folder);

    expect(log()).toBe("installed\n");
  });

  it("are installed although a process that installed them was killed", async () => {
    const { folder, log } = packageFolder();
    const { pid } = spawnSync(process.execPath, ["--version"]);
    mkdirSync(lockOf(folder));
    writeFileSync(join(lockOf(folder), "owner"), `${pid}.killed`);
    await Promise.all([installIn(folder), installIn(folder)]);

    expect(log()).toBe("installed\n");
  });
});
