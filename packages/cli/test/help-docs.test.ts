import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../src/commands.ts";
import { flagRows } from "../src/flags/show-flags.ts";
import { workshop } from "./serve/workshop.ts";

const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
const names = Object.keys(commands);

/** The section of a command. */
const sectionOf = (name: string): string =>
  page.split(/^## /m).find((section) => section.startsWith(`\`photon ${name}\``)) ?? "";

describe("docs/cli.md", { timeout: 20_000 }, () => {
  it.each(names)("has every flag of photon %s, as its help has them", async (name) => {
    const { flags } = (await commands[name]?.load()) ?? { flags: {} };
    const told = [...sectionOf(name).matchAll(/^\| `(-[^`]*)` +\| (.*?) +\|$/gm)].map(
      ([, usage, summary]) => ({ usage, summary }),
    );

    expect(told).toEqual(flagRows(flags));
  });

  it("has a section for every command, and for no other", () => {
    const told = [...page.matchAll(/^## `photon (\w+)`/gm)].map(([, name]) => name);

    expect(new Set(told)).toEqual(new Set(names));
  });
});

describe("the help", { timeout: 20_000 }, () => {
  it.each(names)("of photon %s is printed on stdout, and names every flag it has", async (name) => {
    const { flags } = (await commands[name]?.load()) ?? { flags: {} };
    const { stdout, stderr, exitCode } = await workshop().photon([name, "--help"]);

    expect(stdout).toMatch(new RegExp(`^Usage: photon ${name} `));
    for (const { usage } of flagRows(flags)) expect(stdout).toContain(`\n  ${usage}`);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });
});
