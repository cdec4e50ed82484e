import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/** The files of a folder that import something of another. */
function importersIn(folder: string, other: string): string[] {
  return readdirSync(`${src}${folder}`).filter((file) =>
    readFileSync(`${src}${folder}/${file}`, "utf8").includes(`from "../${other}/`),
  );
}

describe("imports of the server", () => {
  it("go from http/ to transports/, and never back", () => {
    expect(importersIn("http", "transports")).toContain("open-http.ts");
    expect(importersIn("transports", "http")).toEqual([]);
  });
});
