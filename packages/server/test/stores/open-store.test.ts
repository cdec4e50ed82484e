import { join } from "node:path";
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
      message:
        "A store is at sqlite:<file>, redis://<host>, rediss://<host> or memory:, and the address that is given is none of these.",
    });
  });
});
