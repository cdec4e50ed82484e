/** Writes the results into a page, at the places that it marks. The rest of the page is unchanged. */
import { goals, type Verdict } from "./goals.ts";
import { aligned, render } from "./render.ts";
import type { Results } from "./results.ts";

/** `<!-- bench calls -->` … `<!-- /bench -->`. */
const PLACE = /(<!-- bench ([a-z]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g;

export function withTables(page: string, results: Results): string {
  return page.replaceAll(PLACE, (whole, begin: string, name: string, end: string) => {
    if (name === "goals") return `${begin}\n${goalTable(results)}\n\n${end}`;
    const taken = results[name];
    if (taken === undefined) return whole;
    const { rounds, isQuick, node, machine, tables } = taken;
    const how = `Medians of ${rounds} rounds; Node ${node.slice(1)}; ${machine}.`;
    // The figures of a quick run mean nothing.
    const warning = isQuick ? " **A quick run: these figures say nothing.**" : "";
    return `${begin}\n${tables.map(render).join("\n")}\n${how}${warning}\n\n${end}`;
  });
}

const goalTable = (results: Results): string =>
  aligned([
    ["", "goal", "", "in the last run"],
    ...goals.map(({ id, goal, judge }) => [id, goal, ...verdictCells(judge(results))]),
  ]);

const verdictCells = (verdict: Verdict | undefined): readonly string[] =>
  verdict === undefined ? ["not measured", ""] : [verdict.isMet ? "met" : "**missed**", verdict.figures];
