import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import { folder } from "./folder.ts";

describe("openStore", () => {
  it("opens a file of SQLite, and memory", async () => {
    for (const address of [
      `sqlite:${join(folder(), "photon.db")}`,
      `sqlite://${join(folder(), "a b.db")}`,
      "memory:",
    ]) {
      const store = await openStore(address);
      onTestFinished(() => store.close());

      expect(await store.append("run", 0, ["a"], { until: Date.now() + 60_000 })).toBe(true);
      expect(await store.read("run")).toEqual(["a"]);
    }
  });

  it.each([
    "",
    "photon.db",
    "sqlite:",
    "sqlite::memory:",
    "sqlite://photon.db",
    "redis:",
    "redis:host",
    "memory:x",
    "postgres://ada:hunter2@host/db",
    "SQLITE:photon.db",
  ])("refuses %j, says what there is, and repeats no password", async (address) => {
    await expect(openStore(address)).rejects.toMatchObject({
      code: "INVALID_DEFINITION",
      message: "The address of a store must be sqlite:<file>, redis://<host>, rediss://<host> or memory:.",
    });
  });

  it("says what to install where the package of a store is missing; without a store, nobody misses it", async () => {
    const path = folder();
    // What is built, where nothing else is installed.
    for (const name of ["core", "server"]) {
      const from = fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
      const to = join(path, "node_modules/@photon", name);
      cpSync(join(from, "dist"), join(to, "dist"), { recursive: true });
      cpSync(join(from, "package.json"), join(to, "package.json"));
    }
    const program = `
      import { memoryStore, openStore } from "@photon/server";
      await memoryStore().ping();
      for (const address of ["sqlite:photon.db", "redis://localhost"]) {
        await openStore(address).catch(({ code, message }) => console.log(code, message));
      }
    `;

    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      cwd: path,
    });

    expect(stdout.split("\n").slice(0, -1)).toEqual([
      "STORE_MISSING A store in SQLite needs the package libsql: npm install libsql",
      "STORE_MISSING A store in Redis needs the package ioredis: npm install ioredis",
    ]);
  });
});
