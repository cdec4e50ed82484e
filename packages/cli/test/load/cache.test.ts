import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nameFor, openCache } from "../../src/load/link/cache.ts";
import { cacheFolder } from "../../src/load/link/cache-folder.ts";
import { project } from "./project.ts";

const days = (count: number): Date => new Date(Date.now() - count * 24 * 60 * 60 * 1000);

describe("the cache", () => {
  it.each([
    [{ XDG_CACHE_HOME: "/caches" }, "linux", "/caches/photon"],
    [{ XDG_CACHE_HOME: "relative" }, "linux", join(homedir(), ".cache/photon")],
    [{}, "linux", join(homedir(), ".cache/photon")],
    [{}, "darwin", join(homedir(), "Library/Caches/photon")],
    [{ LOCALAPPDATA: "/local" }, "win32", "/local/photon/Cache"],
  ])("is where the platform has it: %j on %s", (env, platform, folder) => {
    expect(cacheFolder(env, platform)).toBe(folder);
  });

  it("gives what was written, and nothing where nothing was", () => {
    const cache = openCache(project().path("cache"));
    cache.write("a.json", "1");

    expect(cache.read("a.json")).toBe("1");
    expect(cache.read("b.json")).toBeUndefined();
  });

  it("can be written to by its user only", () => {
    const folder = project().path("cache");
    openCache(folder).write("a.json", "1");

    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "a.json")).mode & 0o777).toBe(0o600);
  });

  it("is another folder where that one cannot be had", () => {
    const { path } = project({ taken: "a file, not a folder" });
    const cache = openCache(path("taken/cache"));
    cache.write("a.json", "1");

    expect(cache.read("a.json")).toBe("1");
    expect(cache.pathOf("a.json").startsWith(path(""))).toBe(false);
  });

  it("lets go of what nobody has used for a month, once a day", () => {
    const folder = project().path("cache");
    mkdirSync(folder, { mode: 0o700 });
    const entries = { "old.json": 31, "kept.json": 29, "used.json": 40 };
    for (const [name, age] of Object.entries(entries)) {
      writeFileSync(join(folder, name), "1");
      utimesSync(join(folder, name), days(age), days(age));
    }
    writeFileSync(join(folder, "pruned"), String(Date.now()));
    openCache(folder).read("used.json");
    expect(existsSync(join(folder, "old.json"))).toBe(true);

    writeFileSync(join(folder, "pruned"), String(days(2).getTime()));
    openCache(folder).read("other.json");

    expect(Object.keys(entries).filter((name) => existsSync(join(folder, name)))).toEqual([
      "kept.json",
      "used.json",
    ]);
  });

  it("knows things by names that only they have", () => {
    expect(nameFor("ab", "c")).not.toBe(nameFor("a", "bc"));
    expect(nameFor("a")).toBe(nameFor("a"));
  });
});
