import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { shownIn, withTables, type Shown } from "../../scripts/clients-table.mjs";

const script = fileURLToPath(new URL("../../scripts/write-clients-table.mjs", import.meta.url));
const page = "# Clients\n\n<!-- written by `npm run clients` -->\n<!-- until here -->\n\nMore.\n";
const features = ["`ask.text`", "leaving"];

const shown = (transport: string, revision: string, feature: string, how = "yes"): Shown => ({
  transport,
  revision,
  feature,
  how,
});
const said: readonly Shown[] = [
  ...["pipe", "post", "socket"].flatMap((transport) => [
    shown(transport, "2025", "`ask.text`"),
    shown(transport, "2025", "leaving", transport === "socket" ? "waits" : "ends"),
  ]),
  shown("pipe", "2026", "`ask.text`"),
  shown("socket", "2026", "`ask.text`"),
  shown("socket", "2026", "leaving", "waits, twice"),
];

const sorted = (all: readonly Shown[]): readonly string[] => all.map((one) => JSON.stringify(one)).toSorted();

describe("the tables of docs/clients.md", () => {
  it("say how most transports do it, then which do otherwise", () => {
    expect(withTables(page, said, features)).toBe(`# Clients

<!-- written by \`npm run clients\` -->

| transport | 2025 | 2026 |
| --------- | ---- | ---- |
| pipe      | yes  | yes  |
| socket    | yes  | yes  |
| post      | yes  | –    |

| feature    | 2025                | 2026                    |
| ---------- | ------------------- | ----------------------- |
| \`ask.text\` | yes                 | yes                     |
| leaving    | ends; socket: waits | –; socket: waits, twice |

<!-- until here -->

More.
`);
  });

  it("are read back as what they were written from", () => {
    expect(sorted(shownIn(withTables(page, said, features)))).toEqual(sorted(said));
  });

  it("are written over the last ones", () => {
    const once = withTables(page, said, features);

    expect(withTables(withTables(page, said.slice(0, 2), features), said, features)).toBe(once);
  });

  it("are not written of what was shown in two ways", () => {
    const otherwise = [...said, shown("pipe", "2025", "leaving", "waits")];

    expect(() => withTables(page, otherwise, features)).toThrow(
      "leaving over pipe in 2025 was shown in several ways: ends, waits.",
    );
  });

  it("are not written of a feature that they have no row for", () => {
    expect(() => withTables(page, said, ["leaving"])).toThrow("There is no row for `ask.text`.");
  });

  it("are not written into a page without a place for them", () => {
    expect(() => withTables("# Clients\n", said, features)).toThrow("The page has no <!-- written by");
  });
});

describe("npm run clients", () => {
  /** Runs the script over a project with this page and these results of its tests. */
  function write(
    before: string,
    results: readonly { status: string; shows?: readonly Shown[]; suite?: string }[],
  ): string {
    const folder = mkdtempSync(join(tmpdir(), "photon-clients-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs", "clients.md"), before);
    const assertionResults = results.map(({ status, shows, suite = "pipe, 2025" }) => ({
      status,
      ancestorTitles: [suite],
      meta: { shows },
    }));
    writeFileSync(join(folder, "test-results.json"), JSON.stringify({ testResults: [{ assertionResults }] }));
    const { stderr } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
    return stderr === "" ? readFileSync(join(folder, "docs", "clients.md"), "utf8") : stderr;
  }

  const text = [shown("pipe", "2025", "`ask.text`")];
  const number = [shown("socket", "2025", "`ask.number`")];

  it("writes what the tests that passed have shown", () => {
    const written = write(page, [
      { status: "passed", shows: text },
      { status: "passed" },
      { status: "failed", suite: "docs/clients.md" },
    ]);

    expect(shownIn(written)).toEqual(text);
  });

  it("writes nothing where a test has failed", () => {
    expect(write(page, [{ status: "passed", shows: text }, { status: "failed" }])).toContain(
      "Or some failed.",
    );
  });

  it("writes nothing of a run that left out a transport", () => {
    const before = write(page, [{ status: "passed", shows: [...text, ...number] }]);

    expect(write(before, [{ status: "passed", shows: text }])).toContain("It has nothing of socket.");
  });
});
