import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsIn } from "./anchors.ts";
import { apiPages, pages, readPage, root } from "./pages.ts";

interface Link {
  readonly to: string;
  /** The page or file it leads to, from the root; nothing for another site. */
  readonly file: string | undefined;
  readonly anchor: string | undefined;
}

/** The links and pictures of a page, without those in blocks of code. */
function linksIn(page: string): readonly Link[] {
  const prose = readPage(page).replaceAll(/^ *```[^]*?^ *```$/gm, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(([, linked, shown]) => {
    const to = linked ?? shown ?? "";
    const [path = "", anchor] = to.split("#");
    if (/^[a-z]+:/i.test(to)) return { to, file: undefined, anchor: undefined };
    return { to, file: path === "" ? page : normalize(join(dirname(page), path)), anchor };
  });
}

describe.each([...pages, ...apiPages])("the links of %s", (page) => {
  const links = linksIn(page);

  it("lead to files that are there", () => {
    expect(links.filter(({ file }) => file !== undefined && !existsSync(join(root, file)))).toEqual([]);
  });

  it("lead to sections that are there", () => {
    const lost = links.filter(({ file, anchor }) => anchor !== undefined && !hasSection(file, anchor));

    expect(lost).toEqual([]);
  });

  it("to other sites are addresses", () => {
    const odd = links.filter(({ to, file }) => file === undefined && !isAddress(to));

    expect(odd).toEqual([]);
  });
});

/** A page that is not there has no sections to be missed. */
function hasSection(file = "", anchor: string): boolean {
  return !existsSync(join(root, file)) || anchorsIn(readPage(file)).has(anchor);
}

const isAddress = (to: string): boolean => URL.canParse(to) && /^(?:https?|mailto):/.test(to);

describe("an anchor", () => {
  it("is spelled as GitHub spells it", () => {
    const page = "# The `photon` command\n\n## What can happen?\n\n## Who, and when\n\n## What can happen?\n";

    expect([...anchorsIn(page)]).toEqual([
      "the-photon-command",
      "what-can-happen",
      "who-and-when",
      "what-can-happen-1",
    ]);
  });

  it("is not made of what only looks like a heading in a block of code", () => {
    expect([...anchorsIn("# One\n\n```sh\n# two\n```\n")]).toEqual(["one"]);
  });
});
