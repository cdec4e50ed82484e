/**
 * Formats the results of the scenarios as the tables of docs/clients.md, and parses those tables.
 *
 * The first table says which suite has run on which transport in which revision. A row of the second is tested where a suite
 * has run that contains the one in its column "suite". A cell says how most of these transports do it, then which do it
 * otherwise: "ends; WebSocket: waits".
 */
import { contains, suites } from "../test/scenarios/suites.mjs";

/**
 * The record of a test: how a transport supports a feature in a revision.
 *
 * @typedef {{ readonly transport: string, readonly revision: string, readonly feature: string, readonly behaviour: string }} ScenarioResult
 * @typedef {import("../test/scenarios/suites.mjs").Suite} Suite
 * @typedef {{ readonly feature: string, readonly suite: Suite }} Row
 */

const NOTHING = "–";
const [BEGIN, END] = ["<!-- written by `npm run clients` -->", "<!-- until here -->"];
/** Where the tables are. */
const WRITTEN = new RegExp(`(?<=${BEGIN}\n)[^]*(?=${END})`);

/**
 * A page with these tables in it.
 *
 * @param {string} page
 * @param {readonly ScenarioResult[]} records
 * @param {readonly Row[]} rows in their order
 */
export function withTables(page, records, rows) {
  if (!WRITTEN.test(page)) throw new Error(`The page has no ${BEGIN} with ${END} after it.`);
  const other = records.find((record) => !rows.some(({ feature }) => feature === record.feature));
  if (other !== undefined) throw new Error(`There is no row for ${other.feature}.`);
  return page.replace(WRITTEN, () => `\n${formatTables(records, rows)}\n`);
}

/**
 * @param {readonly ScenarioResult[]} records
 * @param {readonly Row[]} rows
 */
function formatTables(records, rows) {
  const revisions = distinct(records.map(({ revision }) => revision)).toSorted();
  /**
   * The largest suite of which there is a record.
   *
   * @type {(transport: string, revision: string) => Suite | undefined}
   */
  const suiteOf = (transport, revision) => {
    const features = new Set(
      records
        .filter((one) => one.transport === transport && one.revision === revision)
        .map(({ feature }) => feature),
    );
    return suites.findLast((suite) => rows.some((row) => row.suite === suite && features.has(row.feature)));
  };
  /** @param {string} transport */
  const size = (transport) =>
    revisions
      .map((revision) => suiteOf(transport, revision))
      .reduce((sum, suite) => sum + (suite === undefined ? 0 : suites.indexOf(suite) + 1), 0);
  const transports = distinct(records.map(({ transport }) => transport))
    .toSorted()
    .toSorted((one, other) => size(other) - size(one));
  const tested = transports.map((transport) => [
    transport,
    ...revisions.map((revision) => suiteOf(transport, revision) ?? NOTHING),
  ]);
  const cells = rows.map(({ feature, suite }) => [
    feature,
    suite,
    ...revisions.map((revision) => {
      const testedOn = transports.filter((transport) => {
        const ran = suiteOf(transport, revision);
        return ran !== undefined && contains(ran, suite);
      });
      return formatCell(
        testedOn.map((transport) => [transport, behaviourOf(records, { transport, revision, feature })]),
      );
    }),
  ]);
  return [table(["transport", ...revisions], tested), table(["feature", "suite", ...revisions], cells)].join(
    "\n",
  );
}

/**
 * @param {readonly ScenarioResult[]} records
 * @param {Omit<ScenarioResult, "behaviour">} scenario
 */
function behaviourOf(records, { transport, revision, feature }) {
  const ways = distinct(
    records
      .filter((one) => one.transport === transport && one.revision === revision && one.feature === feature)
      .map(({ behaviour }) => behaviour),
  );
  if (ways.length > 1)
    throw new Error(
      `${feature} over ${transport} in ${revision} was recorded in several ways: ${ways.join(", ")}.`,
    );
  return ways[0] ?? NOTHING;
}

/** @param {readonly (readonly string[])[]} ways a transport, and its behaviour */
function formatCell(ways) {
  const transportsBy = new Map(
    distinct(ways.map(([, behaviour = ""]) => behaviour)).map((behaviour) => [behaviour, [""].slice(1)]),
  );
  for (const [transport = "", behaviour = ""] of ways) transportsBy.get(behaviour)?.push(transport);
  const [most, ...others] = [...transportsBy].toSorted(([, one], [, other]) => other.length - one.length);
  return [
    most?.[0] ?? NOTHING,
    ...others.map(([behaviour, names]) => `${names.join(", ")}: ${behaviour}`),
  ].join("; ");
}

/**
 * As the formatter would have it.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  /** @param {readonly string[]} cells */
  const line = (cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("");
}

/**
 * The records that the tables of a page were written from.
 *
 * @param {string} page
 * @returns {readonly ScenarioResult[]}
 */
export function parseTables(page) {
  const written = WRITTEN.exec(page)?.[0] ?? "";
  const [tested = [], rows = []] = written
    .trim()
    .split("\n\n")
    .map((text) =>
      text.split("\n").map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
    );
  const [[, ...revisions] = [], , ...transports] = tested;
  return rows.slice(2).flatMap(([feature = "", suite, ...cells]) =>
    cells.flatMap((cell, column) => {
      const testedOn = transports
        .filter(
          (row) => row[column + 1] !== NOTHING && contains(suiteNamed(row[column + 1]), suiteNamed(suite)),
        )
        .map(([name = ""]) => name);
      const [most = "", ...others] = cell.split("; ");
      const exceptions = others.flatMap((other) => {
        const [names = "", behaviour = ""] = other.split(": ");
        return names.split(", ").map((name) => /** @type {const} */ ([name, behaviour]));
      });
      const ways = new Map([...testedOn.map((name) => /** @type {const} */ ([name, most])), ...exceptions]);
      return [...ways]
        .filter(([, behaviour]) => behaviour !== NOTHING)
        .map(([transport, behaviour]) => ({
          transport,
          revision: revisions[column] ?? "",
          feature,
          behaviour,
        }));
    }),
  );
}

/** @param {string | undefined} name */
function suiteNamed(name) {
  const suite = suites.find((one) => one === name);
  if (suite === undefined) throw new Error(`There is no suite ${name}.`);
  return suite;
}

/**
 * @param {readonly string[]} texts
 * @returns {readonly string[]}
 */
function distinct(texts) {
  return [...new Set(texts)];
}
