import { execFileSync } from "node:child_process";
import { createServer, defaultLimits, defaultTimes } from "@photon/server";
import { describe, expect, it } from "vitest";
import { pages, readPage } from "./pages.ts";

describe("pages", () => {
  it.each(pages)("name only npm scripts that exist: %s", (page) => {
    const { scripts } = JSON.parse(readPage("package.json")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const named = [...readPage(page).matchAll(/\bnpm run ([a-z][a-z:]*)/g)].map(([, name = ""]) => name);

    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

/** An amount as a page has it: `10,000`, `4 MiB`, `100 MB`. */
function amountOf(text: string): number {
  const units = { "": 1, KiB: 1024, MiB: 1024 ** 2, MB: 1_000_000 };
  const [amount = "", unit = ""] = text.split(" ");
  // What is no unit is no amount.
  return Number(amount.replaceAll(",", "")) * (units[unit as keyof typeof units] ?? Number.NaN);
}

describe("docs/serving.md", () => {
  it("makes keys that a server takes", () => {
    const [, line = ""] = /^ *(export PHOTON_KEYS=.*)$/m.exec(readPage("docs/serving.md")) ?? [];

    const made = execFileSync("sh", ["-c", `${line}\nprintf %s "$PHOTON_KEYS"`], { encoding: "utf8" });

    expect(() => createServer({ keys: [made] })).not.toThrow();
  });

  it("has every limit of a server, and what it is", () => {
    const [, table = ""] = /^\| limit [^\n]*\n([^]*?)\n\n/m.exec(readPage("docs/serving.md")) ?? [];
    const told = [...table.matchAll(/^\| `(\w+)` *\| ([^|]*?) *\|/gm)].map(([, name = "", amount = ""]) => [
      name,
      amountOf(amount),
    ]);

    expect(Object.fromEntries(told)).toEqual(defaultLimits);
  });

  it.each(Object.entries(defaultTimes))("has the default of %s", (name, time) => {
    expect(readPage("docs/serving.md")).toContain(`\`${name}\` (by default \`"${time}"\`)`);
  });
});
