import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseTables, withTables, type ScenarioResult } from "../../scripts/clients-table.mjs";

const script = fileURLToPath(new URL("../../scripts/write-clients-table.mjs", import.meta.url));
const page = "# Clients\n\n<!-- written by `npm run clients` -->\n<!-- until here -->\n\nMore.\n";
const rows = [
  { feature: "`ask.text`", suite: "smoke" },
  { feature: "leaving", suite: "connection" },
  { feature: "prompts", suite: "full" },
] as const;

const record = (transport: string, revision: string, feature: string, behaviour = "yes"): ScenarioResult => ({
  transport,
  revision,
  feature,
  behaviour,
});
const records: readonly ScenarioResult[] = [
  ...["pipe", "post", "socket"].flatMap((transport) => [
    record(transport, "2025", "`ask.text`"),
    record(transport, "2025", "leaving", transport === "socket" ? "waits" : "ends"),
  ]),
  record("pipe", "2025", "prompts"),
  record("pipe", "2026", "`ask.text`"),
  record("socket", "2026", "`ask.text`"),
  record("socket", "2026", "prompts"),
];

const sorted = (all: readonly ScenarioResult[]): readonly string[] =>
  all.map((one) => JSON.stringify(one)).toSorted();

describe("the tables of docs/clients.md", () => {
  it("say which suites have run, how most transports do it, and which do otherwise", () => {
    expect(withTables(page, records, rows)).toBe(`# Clients

<!-- written by \`npm run clients\` -->

| transport | 2025       | 2026  |
| --------- | ---------- | ----- |
| socket    | connection | full  |
| pipe      | full       | smoke |
| post      | connection | –     |

| feature    | suite      | 2025                | 2026 |
| ---------- | ---------- | ------------------- | ---- |
| \`ask.text\` | smoke      | yes                 | yes  |
| leaving    | connection | ends; socket: waits | –    |
| prompts    | full       | yes                 | yes  |

<!-- until here -->

More.
`);
  });

  it("are read back as the records that they were written from", () => {
    expect(sorted(parseTables(withTables(page, records, rows)))).toEqual(sorted(records));
  });

  it("replace the tables that were there", () => {
    const once = withTables(page, records, rows);

    expect(withTables(withTables(page, records.slice(0, 2), rows), records, rows)).toBe(once);
  });

  it("are not written from contradicting records", () => {
    const otherwise = [...records, record("pipe", "2025", "leaving", "waits")];

    expect(() => withTables(page, otherwise, rows)).toThrow(
      "leaving over pipe in 2025 was recorded in several ways: ends, waits.",
    );
  });

  it("are not written from a record without a row", () => {
    expect(() => withTables(page, records, [])).toThrow("There is no row for `ask.text`.");
  });

  it("are not written into a page without a place for them", () => {
    expect(() => withTables("# Clients\n", records, rows)).toThrow("The page has no <!-- written by");
  });
});

describe("npm run clients", () => {
  /** Runs the script in a project with this page and these test results. */
  function write(
    before: string,
    results: readonly { status: string; support?: readonly ScenarioResult[]; suite?: string }[],
  ): string {
    const folder = mkdtempSync(join(tmpdir(), "photon-clients-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs", "clients.md"), before);
    const assertionResults = results.map(({ status, support, suite = "pipe, 2025" }) => ({
      status,
      ancestorTitles: [suite],
      meta: { support },
    }));
    writeFileSync(join(folder, "test-results.json"), JSON.stringify({ testResults: [{ assertionResults }] }));
    const { stderr } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
    return stderr === "" ? readFileSync(join(folder, "docs", "clients.md"), "utf8") : stderr;
  }

  const text = [record("pipe", "2025", "`ask.text`")];
  const number = [record("socket", "2025", "`ask.number`")];

  it("writes the records of the tests that passed", () => {
    const written = write(page, [
      { status: "passed", support: text },
      { status: "passed" },
      { status: "failed", suite: "docs/clients.md" },
    ]);

    expect(parseTables(written)).toEqual(text);
  });

  it("writes nothing if a test has failed", () => {
    expect(write(page, [{ status: "passed", support: text }, { status: "failed" }])).toContain(
      "Or some failed.",
    );
  });

  it("writes nothing if the run left out a transport", () => {
    const before = write(page, [{ status: "passed", support: [...text, ...number] }]);

    expect(write(before, [{ status: "passed", support: text }])).toContain("It has nothing of socket.");
  });
});
