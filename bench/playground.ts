/**
 * Measures the size of the playground, its loading time, and the cost of a run with many entries.
 *
 * Each round loads the page and an empty page from the same machine, each in a new browser context. The figures are
 * medians, with their ratios to the empty page. Long tasks are those of more than 50 ms, as browsers count them.
 *
 * Usage: npm run build && node bench/dist/playground.js [--loads 7] [--entries 5000]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium, type Browser } from "playwright-core";
import { median } from "./harness/statistics.ts";
import { serveEmptyPage, servePlayground, TOOL_FILE, toolText } from "./playground-servers.ts";

const { values } = parseArgs({
  options: { loads: { type: "string", default: "7" }, entries: { type: "string", default: "5000" } },
});
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs in the page: records when an element first appears, and every long task. */
const OBSERVER_SCRIPT = `
  globalThis.appearedAt = {};
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  const check = () => {
    for (const name of [".offer", ".schema-form"])
      if (!(name in appearedAt) && document.querySelector(name) !== null) appearedAt[name] = performance.now();
  };
  new MutationObserver(check).observe(document, { childList: true, subtree: true });
`;

/** Runs in the page: calls the tool, and waits until its run is done. */
const RUN_SCRIPT = `(async () => {
  longTasks.length = 0;
  const began = performance.now();
  document.querySelector(".call-actions .primary").click();
  let frames = 0;
  for (; document.querySelector(".state-done") === null; frames++) await new Promise(requestAnimationFrame);
  // The observer of long tasks is called in a later task.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { took: performance.now() - began, frames, longTasks, elements: document.querySelectorAll("*").length };
})()`;

interface LongRun {
  readonly took: number;
  readonly frames: number;
  readonly longTasks: readonly number[];
  readonly elements: number;
}

printSizes();
const folder = mkdtempSync(join(tmpdir(), "photon-playground-"));
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
writeFileSync(join(folder, TOOL_FILE), toolText(Number(values.entries)));
const servers = [await servePlayground(root, folder), await serveEmptyPage()] as const;
const browser = await openBrowser();
try {
  const [page, empty] = servers;
  await printLoads(browser, page.url, empty.url);
  await printLongRun(browser, page.url);
} finally {
  await browser.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
}

function printSizes(): void {
  const dist = join(root, "packages/playground/dist");
  const names = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.\w+$/.test(name),
  );
  const files = names.map((name) => {
    const bytes = readFileSync(join(dist, name));
    return [name.replace(/-[\w-]{8}\./, "."), bytes.length, gzipSync(bytes, { level: 9 }).length] as const;
  });
  const sum = (at: 1 | 2): number => files.reduce((total, file) => total + file[at], 0);
  printTable(["file", "bytes", "gzip"], [...files.toSorted((a, b) => a[1] - b[1]), ["all", sum(1), sum(2)]]);
}

async function printLoads(to: Browser, page: string, empty: string): Promise<void> {
  const times = { "an empty page": [] as number[], "the list": [] as number[], "the form": [] as number[] };
  for (let load = 0; load < Number(values.loads); load++) {
    times["an empty page"].push(await loadTime(to, empty, ".offer"));
    times["the list"].push(await loadTime(to, page, ".offer"));
    times["the form"].push(await loadTime(to, `${page}/#tool/log_entries`, ".schema-form"));
  }
  const baseline = median(times["an empty page"]);
  printTable(
    [`until there is (median of ${values.loads})`, "ms", "ratio"],
    Object.entries(times).map(([what, all]) => [
      what,
      Math.round(median(all)),
      `${(median(all) / baseline).toFixed(1)}×`,
    ]),
  );
}

/** The time from the start of the load until an element appears, by the page's clock. */
async function loadTime(by: Browser, url: string, until: string): Promise<number> {
  const context = await by.newContext();
  const tab = await context.newPage();
  await tab.addInitScript({ content: OBSERVER_SCRIPT });
  await tab.goto(url);
  await tab.locator(until).first().waitFor();
  const time = await tab.evaluate<number>(`appearedAt["${until}"]`);
  await context.close();
  return time;
}

async function printLongRun(by: Browser, url: string): Promise<void> {
  const rows: (readonly (string | number)[])[] = [];
  for (const wire of ["shown", "folded"]) {
    const context = await by.newContext({ viewport: { width: 1280, height: 800 } });
    const tab = await context.newPage();
    await tab.addInitScript({ content: OBSERVER_SCRIPT });
    await tab.goto(`${url}/#tool/log_entries`);
    await tab.locator(".call-actions .primary").waitFor();
    if (wire === "folded") await tab.locator(".wire-toggle").click();
    const { took, frames, longTasks, elements } = await tab.evaluate<LongRun>(RUN_SCRIPT);
    const longest = Math.round(Math.max(0, ...longTasks));
    rows.push([wire, Math.round(took), frames, longTasks.length, `${longest} ms`, elements]);
    await context.close();
  }
  printTable(
    [`a run of ${values.entries} entries, wire`, "ms", "frames", "long tasks", "longest", "elements"],
    rows,
  );
}

async function openBrowser(): Promise<Browser> {
  const module: unknown = await import(new URL("../../scripts/find-chromium.mjs", import.meta.url).href);
  // Outside of this TypeScript project, so the compiler does not know its exports.
  const { findChromium } = module as { readonly findChromium: () => string | undefined };
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("There is no Chromium: node scripts/install-test-tools.mjs");
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [head, head.map(() => "---"), ...rows.map((row) => row.map((cell) => shown(cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells)
    console.log(
      `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, cell === "---" ? "-" : " ")).join(" | ")} |`,
    );
  console.log("");
}

function shown(cell: string | number): string {
  return typeof cell === "number" ? cell.toLocaleString("en") : cell;
}
