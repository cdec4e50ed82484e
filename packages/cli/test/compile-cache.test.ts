import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import nodeModule from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cacheFolder, enableCompileCache } from "../src/compile-cache.ts";

const photon = fileURLToPath(new URL("../bin/photon.js", import.meta.url));

describe("what V8 makes of the code", () => {
  let caches = "";
  beforeEach(() => {
    caches = mkdtempSync(join(tmpdir(), "photon-compiled-"));
    vi.stubEnv("XDG_CACHE_HOME", caches);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(caches, { recursive: true });
  });

  it("is kept by Node, in the folder of this user's caches", () => {
    const folders: string[] = [];
    enableCompileCache({ enableCompileCache: (folder) => folders.push(folder) });

    expect(folders).toEqual([join(caches, "photon", "compiled")]);
    expect(statSync(join(caches, "photon")).mode & 0o777).toBe(0o700);
  });

  it("is not kept in a folder that others can write to", () => {
    mkdirSync(join(caches, "photon"));
    chmodSync(join(caches, "photon"), 0o777);
    const folders: string[] = [];
    enableCompileCache({ enableCompileCache: (folder) => folders.push(folder) });

    expect(folders).toEqual([]);
  });

  it("is kept where this Node can, and nowhere else", () => {
    const { status } = spawnSync(process.execPath, [photon, "--version"], {
      env: { PATH: process.env["PATH"], XDG_CACHE_HOME: caches },
    });

    expect(status).toBe(0);
    expect(existsSync(join(caches, "photon", "compiled"))).toBe("enableCompileCache" in nodeModule);
  });
});

describe("the folder of caches", () => {
  it.each([
    [{ XDG_CACHE_HOME: "/caches" }, "linux", "/caches/photon"],
    [{ XDG_CACHE_HOME: "relative" }, "linux", join(homedir(), ".cache/photon")],
    [{}, "linux", join(homedir(), ".cache/photon")],
    [{}, "darwin", join(homedir(), "Library/Caches/photon")],
    [{ LOCALAPPDATA: "/local" }, "win32", "/local/photon/Cache"],
  ])("is where the platform has it: %j on %s", (env, platform, folder) => {
    expect(cacheFolder(env, platform)).toBe(folder);
  });
});
