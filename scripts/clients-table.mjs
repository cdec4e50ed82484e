/**
 * The tables of docs/clients.md: what the scenarios have shown, and the same read back.
 *
 * A cell says how most transports do it, then which do it otherwise: "ends; WebSocket: waits".
 */

/**
 * What a test has shown: how a transport does something in a revision.
 *
 * @typedef {{ readonly transport: string, readonly revision: string, readonly feature: string, readonly how: string }} Shown
 */

const NOTHING = "–";
const [BEGIN, END] = ["<!-- written by `npm run clients` -->", "<!-- until here -->"];
/** Where the tables are. */
const WRITTEN = new RegExp(`(?<=${BEGIN}\n)[^]*(?=${END})`);

/**
 * A page with these tables in it.
 *
 * @param {string} page
 * @param {readonly Shown[]} shown
 * @param {readonly string[]} features in the order of the rows
 */
export function withTables(page, shown, features) {
  if (!WRITTEN.test(page)) throw new Error(`The page has no ${BEGIN} with ${END} after it.`);
  const odd = shown.find(({ feature }) => !features.includes(feature));
  if (odd !== undefined) throw new Error(`There is no row for ${odd.feature}.`);
  return page.replace(WRITTEN, () => `\n${tablesOf(shown, features)}\n`);
}

/**
 * @param {readonly Shown[]} shown
 * @param {readonly string[]} features
 */
function tablesOf(shown, features) {
  const revisions = distinct(shown.map(({ revision }) => revision)).toSorted();
  /** @type {(transport: string, revision: string) => boolean} */
  const isCarried = (transport, revision) =>
    shown.some((one) => one.transport === transport && one.revision === revision);
  /** @param {string} transport */
  const count = (transport) => revisions.filter((revision) => isCarried(transport, revision)).length;
  const transports = distinct(shown.map(({ transport }) => transport))
    .toSorted()
    .toSorted((one, other) => count(other) - count(one));
  const carried = transports.map((transport) => [
    transport,
    ...revisions.map((revision) => (isCarried(transport, revision) ? "yes" : NOTHING)),
  ]);
  const rows = features.map((feature) => [
    feature,
    ...revisions.map((revision) => {
      const carriers = transports.filter((transport) => isCarried(transport, revision));
      return cellOf(carriers.map((transport) => [transport, howIn(shown, { transport, revision, feature })]));
    }),
  ]);
  return [table(["transport", ...revisions], carried), table(["feature", ...revisions], rows)].join("\n");
}

/**
 * @param {readonly Shown[]} shown
 * @param {Omit<Shown, "how">} where
 */
function howIn(shown, { transport, revision, feature }) {
  const ways = distinct(
    shown
      .filter((one) => one.transport === transport && one.revision === revision && one.feature === feature)
      .map(({ how }) => how),
  );
  if (ways.length > 1)
    throw new Error(
      `${feature} over ${transport} in ${revision} was shown in several ways: ${ways.join(", ")}.`,
    );
  return ways[0] ?? NOTHING;
}

/** @param {readonly (readonly string[])[]} ways a transport, and how it does it */
function cellOf(ways) {
  const transportsBy = new Map(distinct(ways.map(([, how = ""]) => how)).map((how) => [how, [""].slice(1)]));
  for (const [transport = "", how = ""] of ways) transportsBy.get(how)?.push(transport);
  const [most, ...others] = [...transportsBy].toSorted(([, one], [, other]) => other.length - one.length);
  return [most?.[0], ...others.map(([how, transports]) => `${transports.join(", ")}: ${how}`)].join("; ");
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
 * What the tables of a page say.
 *
 * @param {string} page
 * @returns {readonly Shown[]}
 */
export function shownIn(page) {
  const written = WRITTEN.exec(page)?.[0] ?? "";
  const [carried = [], rows = []] = written
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
  const [[, ...revisions] = [], , ...transports] = carried;
  return rows.slice(2).flatMap(([feature = "", ...cells]) =>
    cells.flatMap((cell, column) => {
      const carriers = transports.filter((row) => row[column + 1] !== NOTHING).map(([name = ""]) => name);
      const [most = "", ...others] = cell.split("; ");
      const exceptions = others.flatMap((other) => {
        const [names = "", how = ""] = other.split(": ");
        return names.split(", ").map((name) => /** @type {const} */ ([name, how]));
      });
      const ways = new Map([...carriers.map((name) => /** @type {const} */ ([name, most])), ...exceptions]);
      return [...ways]
        .filter(([, how]) => how !== NOTHING)
        .map(([transport, how]) => ({ transport, revision: revisions[column] ?? "", feature, how }));
    }),
  );
}

/**
 * @param {readonly string[]} texts
 * @returns {readonly string[]}
 */
function distinct(texts) {
  return [...new Set(texts)];
}
