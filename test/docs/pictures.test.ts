import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCENES } from "../../scripts/pictures/playground-scenes.mjs";
import { pages, readPage, root } from "./pages.ts";

const pictures = readdirSync(join(root, "docs/images"));

describe("the pictures of the docs", () => {
  it("are all shown on a page", () => {
    const all = pages.map(readPage).join("\n");

    expect(pictures.filter((name) => !all.includes(`images/${name}`))).toEqual([]);
  });

  it("of the playground are those that npm run pictures takes", () => {
    const taken = Object.keys(SCENES).map((name) => `playground-${name}.png`);

    expect(pictures.filter((name) => name.startsWith("playground-")).toSorted()).toEqual(taken.toSorted());
  });
});
