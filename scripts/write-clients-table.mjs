/**
 * Writes the tables of docs/clients.md from the results of the last run of the scenarios.
 *
 * Usage: npx vitest run test/scenarios && node scripts/write-clients-table.mjs [folder of the project]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rows } from "../test/scenarios/suites.mjs";
import { parseTables, withTables } from "./clients-table.mjs";

const root = process.argv[2] ?? ".";
const page = join(root, "docs", "clients.md");

/**
 *
 * @typedef {{ status: string, ancestorTitles: string[], meta: { support?: import("./clients-table.mjs").ScenarioResult[] } }} Result
 * @typedef {{ testResults: { assertionResults: Result[] }[] }} Results
 */

const { testResults } = /** @type {Results} */ (
  JSON.parse(readFileSync(join(root, "test-results.json"), "utf8"))
);
// Without the tests that compare this page with the records, and fail until it is written.
const tests = testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ ancestorTitles }) => !ancestorTitles.includes("docs/clients.md"));
const records = tests.flatMap(({ status, meta }) => (status === "passed" ? (meta.support ?? []) : []));

const text = readFileSync(page, "utf8");
/** @param {readonly import("./clients-table.mjs").ScenarioResult[]} all */
const transportsIn = (all) => new Set(all.map(({ transport }) => transport));
const missing = [...transportsIn(parseTables(text))].filter(
  (transport) => !transportsIn(records).has(transport),
);

if (records.length === 0 || missing.length > 0 || tests.some(({ status }) => status === "failed")) {
  const lack = missing.length === 0 ? "Or some failed." : `It has nothing of ${missing.join(", ")}.`;
  console.error(`The last run of tests was not one of all scenarios; npx vitest run test/scenarios. ${lack}`);
  process.exitCode = 1;
} else {
  writeFileSync(page, withTables(text, records, rows));
  console.log(`docs/clients.md has the records of ${tests.length} tests.`);
}
