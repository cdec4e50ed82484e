/** Puts tables where a page has marked their place, and leaves the rest of it alone. */
import type { Results } from "./results.ts";
import { render } from "./render.ts";

/** `<!-- bench calls -->` … `<!-- /bench -->`. */
const PLACE = /(<!-- bench ([a-z]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g;

export function withTables(page: string, results: Results): string {
  return page.replaceAll(PLACE, (whole, begin: string, name: string, end: string) => {
    const taken = results[name];
    if (taken === undefined) return whole;
    const { rounds, isQuick, node, machine, tables } = taken;
    const how = `Medians of ${rounds} rounds; Node ${node.slice(1)}; ${machine}.`;
    // A run that only tried whether everything works is not to be taken for a figure.
    const warning = isQuick ? " **A quick run: these figures say nothing.**" : "";
    return `${begin}\n${tables.map(render).join("\n")}\n${how}${warning}\n\n${end}`;
  });
}
