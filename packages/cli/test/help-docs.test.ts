import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands } from "../src/cli.ts";
import type { FlagGroups } from "../src/flags/flags.ts";
import { flagRows } from "../src/flags/help.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
const names = Object.keys(commands);

/** The section of a command. */
const sectionOf = (name: string): string =>
  page.split(/^## /m).find((section) => section.startsWith(`\`photon ${name}\``)) ?? "";

/** The rows of a section whose first cell is a flag, a name of a limit, or the name of a group. */
const rowsOf = (name: string): readonly (readonly [first: string, second: string])[] =>
  [...sectionOf(name).matchAll(/^\| (`-[^`]*`|`[a-z]\w*`|\*\*\w+\*\*) +\| (.*?) *\|$/gm)].map(
    ([, first = "", second = ""]) => [first, second],
  );

async function groupsOf(name: string) {
  const flags: FlagGroups = (await commands[name]?.load())?.flags ?? {};
  return Object.entries(flags).map(([group, table]) => ({ group, table, rows: flagRows(table) }));
}

describe("docs/cli.md", { timeout: 20_000 }, () => {
  it.each(names)("has every flag of photon %s, in the groups of its help", async (name) => {
    const groups = await groupsOf(name);
    const expected = groups.flatMap(({ group, rows }) => [
      // A command without groups has flags and nothing else.
      ...(group === "Flags" ? [] : [[`**${group}**`, ""]]),
      ...rows.map(({ usage, summary }) => [`\`${usage}\``, summary]),
    ]);

    expect(rowsOf(name).filter(([first]) => !/^`[a-z]/.test(first))).toEqual(expected);
  });

  it("has every limit of photon serve, as its help has them", async () => {
    const limits = (await groupsOf("serve")).flatMap(({ table }) => table["limit"]?.names ?? []);
    const told = rowsOf("serve").filter(([first, summary]) => first.startsWith("`") && /\d\)$/.test(summary));

    expect(limits.length).toBeGreaterThan(0);
    expect(told.filter(([first]) => /^`[a-z]/.test(first))).toEqual(
      limits.map(({ usage, summary }) => [`\`${usage}\``, summary]),
    );
  });

  it("has a section for every command, and for no other", () => {
    const told = [...page.matchAll(/^## `photon (\w+)`/gm)].map(([, name]) => name);

    expect(new Set(told)).toEqual(new Set(names));
  });
});

describe("the help", { timeout: 20_000 }, () => {
  it.each(names)("of photon %s is printed on stdout, and has its flags in groups", async (name) => {
    const { stdout, stderr, exitCode } = await temporaryFolder().photon([name, "--help"]);

    expect(stdout).toMatch(new RegExp(`^Usage: npx photon ${name} `));
    for (const { group, rows } of await groupsOf(name)) {
      const [, section = ""] = new RegExp(`^${group}:\n((?: .*\n)+)`, "m").exec(stdout) ?? [];
      for (const { usage } of rows) expect(`\n${section}`).toContain(`\n  ${usage}`);
    }
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  it("of photon serve lists the limits with their defaults", async () => {
    const { stdout } = await temporaryFolder().photon(["serve", "--help"]);

    expect(stdout).toMatch(/^ {4}messageBytes +bytes of one message \(default 4194304\)$/m);
  });
});
