/** Writes the results into a page, at the places that it marks. The rest of the page is unchanged. */
import { goals, type Verdict } from "./goals.ts";
import { aligned, renderCompared, renderRows, renderTransposed } from "./render.ts";
import type { Results } from "./results.ts";
import type { Summary } from "./table.ts";

/** `<!-- bench calls -->` … `<!-- /bench -->`. */
const PLACE = /(<!-- bench ([a-z]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g;

/** The columns that the page shows of the tables of a measure. The others are in bench/results.json. */
const SHOWN: { readonly [measure: string]: readonly (readonly string[])[] } = {
  calls: [["server"]],
  asks: [["server"]],
  notifications: [["server"], ["arrived"]],
  latency: [["p50", "p99"]],
  waiting: [["many"]],
  sessions: [["heap"]],
  tools: [["server"]],
  parked: [["server"]],
  seal: [["cost"]],
};

/** Measures whose tables have more columns than rows. */
const TRANSPOSED: ReadonlySet<string> = new Set(["store"]);

export function withTables(page: string, results: Results): string {
  return page.replaceAll(PLACE, (whole, begin: string, name: string, end: string) => {
    if (name === "goals") return `${begin}\n${goalTable(results)}\n\n${end}`;
    if (name === "run") return `${begin}\n${runsOf(results)}\n\n${end}`;
    const taken = results[name];
    if (taken === undefined) return whole;
    // The figures of a quick run mean nothing.
    const warning = taken.isQuick ? ["**A quick run: these figures say nothing.**"] : [];
    return [
      begin.trimEnd(),
      ...warning,
      ...taken.tables.map((table, index) => tableOf(table, name, index)),
      end,
    ].join("\n\n");
  });
}

function tableOf(table: Summary, measure: string, index: number): string {
  const shown = SHOWN[measure]?.[index];
  if (shown !== undefined) return renderCompared(table, shown);
  return TRANSPOSED.has(measure) ? renderTransposed(table) : renderRows(table);
}

/** How the results were measured; each way once, with its measures if there are several. */
function runsOf(results: Results): string {
  const measures = new Map<string, readonly string[]>();
  for (const [name, { rounds, commit, date, node, machine }] of Object.entries(results)) {
    const measuredAt = commit === "" ? `Measured on ${date}` : `Measured at ${commit} on ${date}`;
    const how = `${measuredAt}: medians of ${rounds} rounds; Node ${node.slice(1)}; ${machine}.`;
    measures.set(how, [...(measures.get(how) ?? []), name]);
  }
  const ways = [...measures];
  return ways.map(([how, names]) => (ways.length === 1 ? how : `- ${names.join(", ")}: ${how}`)).join("\n");
}

const goalTable = (results: Results): string =>
  aligned([
    ["", "goal", "", "in the last run"],
    ...goals.map(({ id, goal, judge }) => [id, goal, ...verdictCells(judge(results))]),
  ]);

const verdictCells = (verdict: Verdict | undefined): readonly string[] =>
  verdict === undefined ? ["not measured", ""] : [verdict.isMet ? "met" : "**missed**", verdict.figures];
