/** The bench runs, and reports its measures. No test checks figures, which depend on the machine. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { startServer as StartServer } from "../bench/harness/start-server.ts";
import type { Results } from "../bench/harness/results.ts";
import { summarize } from "../bench/harness/table.ts";
import { withTables } from "../bench/harness/write-page.ts";
import { isWhole } from "./long.ts";

const main = fileURLToPath(new URL("../bench/dist/main.js", import.meta.url));
const figures = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
const longTimeout = { timeout: 120_000 };

/** Runs the bench with the servers that need no installation. Returns its output and its results file. */
async function bench(
  ...args: readonly string[]
): Promise<{ readonly printed: string; readonly saved: Results }> {
  const folder = mkdtempSync(join(tmpdir(), "photon-bench-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const results = join(folder, "results.json");
  const ours = ["--quick", "--servers", "thin,photon,ws echo", "--results", results];
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...ours, ...args]);
  return { printed: stdout, saved: JSON.parse(readFileSync(results, "utf8")) as Results };
}

/** The rows of a measure: "scenario: server". */
const rowsOf = (saved: Results, measure: string): readonly string[] =>
  saved[measure]?.tables[0]?.rows.map(({ scenario, variant }) => `${scenario}: ${variant}`) ?? [];

describe("npm run bench", () => {
  it("measures calls on its transports, in both revisions, at both loads", longTimeout, async () => {
    // By default over WebSocket alone. Calls over HTTP are measured by `npm run test:long` only.
    const transports = isWhole ? "stdio,websocket,http,sse" : "websocket";
    const { saved } = await bench("--only", "calls", "--transports", transports);

    const both = ["1 in flight", "32 in flight"];
    const cells = (scenario: string, ...variant: readonly string[]): readonly string[] =>
      both.flatMap((load) => variant.map((one) => `${scenario}, ${load}: ${one}`));
    const all = [
      ...cells("stdio, 2025-11-25", "thin", "Photon"),
      ...cells("WebSocket, 2025-11-25", "thin", "Photon", "ws echo"),
      ...cells("Streamable HTTP, 2025-11-25", "thin", "Photon"),
      ...cells("SSE, 2025-11-25", "thin", "Photon"),
      ...cells("stdio, 2026-07-28", "thin", "Photon"),
      ...cells("WebSocket, 2026-07-28", "thin", "Photon"),
      ...cells("Streamable HTTP, 2026-07-28", "thin", "Photon"),
    ];
    expect(rowsOf(saved, "calls")).toEqual(all.filter((row) => isWhole || row.startsWith("WebSocket")));
  });

  it("saves the medians with the commit, and prints ratios to the baseline", longTimeout, async () => {
    const { printed, saved } = await bench("--only", "asks", "--transports", "stdio", "--rounds", "3");

    const head = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" });
    expect(saved["asks"]?.commit).toBe(head.stdout?.trim() ?? "");
    const rows = saved["asks"]?.tables[0]?.rows ?? [];
    expect(rows.map(({ ratios }) => typeof ratios["server"])).toEqual(rows.map(() => "number"));
    expect(Object.keys(rows[0]?.medians ?? {})).toEqual(["rate", "server", "clientLoad"]);
    expect(printed).toMatch(/^\| +\| +\| asks\/s +\| × thin +\| CPU per ask +\| × thin +\| client CPU +\|$/m);
    expect(printed).toMatch(/^\| stdio, 2026-07-28, one question +\| thin +\| [\d,]+ +\| 1\.00× +\|/m);
  });

  it(
    "counts progress notifications before the result, also those that the SDK's clients receive",
    longTimeout,
    async () => {
      const { saved } = await bench("--only", "notifications", "--transports", "stdio,sse");

      const [ours, theirs] = saved["notifications"]?.tables ?? [];
      const cells = ["stdio, 2025-11-25", "SSE, 2025-11-25", "stdio, 2026-07-28"].flatMap((scenario) => [
        scenario,
        scenario,
      ]);
      expect(theirs?.rows.map(({ scenario }) => scenario)).toEqual(cells);
      expect(ours?.rows.map(({ medians }) => medians["arrived"])).toEqual(cells.map(() => 100));
    },
  );

  it("accounts for all CPU time, with encryption where states are encrypted", longTimeout, async () => {
    const { saved } = await bench("--only", "shares", "--seconds", "0.2");

    const rows = saved["shares"]?.tables[0]?.rows ?? [];
    expect(rows).toHaveLength(14);
    for (const { medians } of rows)
      expect(Object.values(medians).reduce((whole, part) => whole + part, 0)).toBeCloseTo(100, 1);
    const sealing = (one: string): number | undefined =>
      rows.find(({ scenario, variant }) => `${scenario}: ${variant}` === one)?.medians["sealing"];
    // Of a busy machine, a few samples of the profiler count as encryption although no state is encrypted.
    expect(sealing("stdio, 2025-11-25: a question")).toBeLessThan(1);
    expect(sealing("stdio, 2026-07-28: a question")).toBeGreaterThan(1);
  });

  it("measures stores with few and with many open questions", longTimeout, async () => {
    const { saved } = await bench("--only", "store");

    expect(rowsOf(saved, "store")).toEqual([
      "SQLite: 10 open",
      "SQLite: 20 open",
      "Redis: 10 open",
      "Redis: 20 open",
    ]);
  });

  it(
    "writes the page from the committed results with --render, and measures nothing",
    longTimeout,
    async () => {
      const before = readFileSync(figures, "utf8");

      const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, "--render"]);

      expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
      // The page in the repository is up to date.
      expect(readFileSync(figures, "utf8")).toBe(before);
    },
  );

  it("refuses an unknown measure, and lists the known ones", async () => {
    await expect(bench("--only", "speed")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bench: There is no measure "speed"; there is calls, asks, /),
    });
  });
});

describe("a server of the bench", () => {
  it("that does not start is an error with its label and its stderr", async () => {
    const built = new URL("../bench/dist/harness/start-server.js", import.meta.url).href;
    // The built file, because it starts the built servers beside it.
    const { startServer } = (await import(built)) as { readonly startServer: typeof StartServer };

    const starting = startServer({ label: "missing", file: "missing.mjs" }, "http");

    await expect(starting).rejects.toThrow(/^missing has ended: [^]*Cannot find module/);
  });
});

describe("docs/performance.md", () => {
  const table = {
    title: "Calls",
    baseline: "thin",
    columns: { server: { title: "CPU", unit: "microseconds", isCompared: true } },
    rows: [
      { scenario: "stdio", variant: "thin", samples: [{ server: 10 }, { server: 20 }, { server: 30 }] },
      { scenario: "stdio", variant: "Photon", samples: [{ server: 12 }, { server: 30 }, { server: 33 }] },
    ],
  } as const;
  const taken = {
    rounds: 3,
    seconds: 1,
    isQuick: false,
    commit: "abc1234",
    date: "2026-11-17",
    node: "v20.0.0",
    machine: "2 × chip, 8 GiB",
  };
  const results: Results = { calls: { ...taken, tables: [summarize(table)] } };

  it("shows medians, and the medians of the ratios of each round", () => {
    const page = withTables("Before\n<!-- bench calls -->\nold\n<!-- /bench -->\nAfter\n", results);

    expect(page).toBe(`Before
<!-- bench calls -->

| CPU   | thin    | Photon         |
| ----- | ------- | -------------- |
| stdio | 20.0 µs | 30.0 µs, 1.20× |

<!-- /bench -->
After
`);
  });

  it("shows two columns in one cell, without ratios, and leaves a cell empty that was not measured", () => {
    const latency = summarize({
      title: "Latency at half load",
      baseline: "thin",
      columns: {
        p50: { title: "p50", unit: "microseconds", isCompared: true },
        p99: { title: "p99", unit: "microseconds", isCompared: true },
      },
      rows: [
        { scenario: "stdio", variant: "thin", samples: [{ p50: 100, p99: 200 }] },
        { scenario: "stdio", variant: "Photon", samples: [{ p50: 150, p99: 300 }] },
        { scenario: "http", variant: "thin", samples: [{ p50: 400, p99: 800 }] },
      ],
    });
    const page = withTables("<!-- bench latency -->\n<!-- /bench -->", {
      latency: { ...taken, tables: [latency] },
    });

    expect(page).toContain("| stdio     | 100 µs / 200 µs | 150 µs / 300 µs |\n");
    expect(page).toContain("| http      | 400 µs / 800 µs |                 |\n");
  });

  it("shows the columns of a wide table as lines", () => {
    const stores = summarize({ ...table, title: "Stores" });
    const page = withTables("<!-- bench store -->\n<!-- /bench -->", {
      store: { ...taken, tables: [stores] },
    });

    expect(page).toContain("|     | stdio, thin | stdio, Photon  |\n");
    expect(page).toContain("| CPU | 20.0 µs     | 30.0 µs, 1.20× |\n");
  });

  it("shows the rows of any other table, with their scenarios only where they differ", () => {
    const one = summarize({ ...table, title: "Start" });
    const rows = [...table.rows, { scenario: "http", variant: "thin", samples: [{ server: 40 }] }];
    const two = summarize({ ...table, title: "Start", rows });
    const page = withTables("<!-- bench start -->\n<!-- /bench -->", {
      start: { ...taken, tables: [one, two] },
    });

    expect(page).toContain("| Photon | 30.0 µs, 1.20× |\n");
    expect(page).toContain("| stdio, Photon | 30.0 µs, 1.20× |\n");
  });

  it("says once how everything was measured, and of which measures where that differs", () => {
    const place = "<!-- bench run -->\n<!-- /bench -->";
    const other = { ...taken, commit: "def5678", tables: [] };

    expect(withTables(place, { ...results, asks: { ...taken, tables: [] } })).toContain(
      "\nMeasured at abc1234 on 2026-11-17: medians of 3 rounds; Node 20.0.0; 2 × chip, 8 GiB.\n",
    );
    expect(withTables(place, { ...results, asks: other })).toContain(
      "\n- calls: Measured at abc1234 on 2026-11-17: medians of 3 rounds; Node 20.0.0; 2 × chip, 8 GiB.\n- asks: Measured at def5678 on",
    );
  });

  it("keeps the table of a measure without new results", () => {
    const page = "<!-- bench asks -->\nold\n<!-- /bench -->\n";

    expect(withTables(page, results)).toBe(page);
  });

  it("shows which goals were met, missed and not measured", () => {
    const asks = summarize({ ...table, rows: table.rows.map((row) => ({ ...row, scenario: "http" })) });
    const replay = summarize({
      title: "Replay",
      baseline: "10 answers",
      columns: { cost: { title: "an answer", unit: "microseconds" } },
      rows: [
        { scenario: "a replay", variant: "10 answers", samples: [{ cost: 10 }] },
        { scenario: "a replay", variant: "1,000 answers", samples: [{ cost: 16 }] },
      ],
    });
    const all = { ...results, asks: { ...taken, tables: [asks] }, replay: { ...taken, tables: [replay] } };
    const page = withTables("<!-- bench goals -->\n<!-- /bench -->", all);

    expect(page).toMatch(/^\| F1 .*\| met +\| .*1\.20×/m);
    expect(page).toMatch(/^\| F5 .*\| \*\*missed\*\* +\| 1\.60×/m);
    expect(page).toMatch(/^\| F2 .*\| not measured +\|/m);
  });

  it("marks the figures of a quick run as meaningless", () => {
    const quick = { calls: { ...taken, isQuick: true, tables: [] } };

    expect(withTables("<!-- bench calls -->\n<!-- /bench -->", quick)).toContain("these figures say nothing");
  });
});
