/** The store that docs/durability.md shows. */
import { readFile } from "node:fs/promises";
import { storeContract } from "@photon/server/store-contract";
import { describe, expect, it } from "vitest";
import { mapStore } from "./map-store.ts";

describe("the store of the documentation", () => {
  storeContract({
    it,
    isPersistent: false,
    async open() {
      let time = Date.UTC(2026, 0, 1);
      const store = mapStore(() => time);
      return {
        store,
        another: async () => store,
        now: () => time,
        async pass(milliseconds) {
          time += milliseconds;
        },
      };
    },
  });

  it("is the one that is tested", async () => {
    const [page, source] = await Promise.all(
      ["../../docs/durability.md", "./map-store.ts"].map((path) =>
        readFile(new URL(path, import.meta.url), "utf8"),
      ),
    );

    expect(page).toContain(`\`\`\`ts\n${source}\`\`\``);
  });
});
