/** Tables as Markdown: medians, and beside them how many times the floor's they are. Pure. */
import type { Column, Summary, SummaryRow, Unit } from "./table.ts";

/** With a heading, and aligned as the formatter does it. */
export function render(table: Summary): string {
  const columns = Object.entries(table.columns).filter(([key]) =>
    table.rows.some(({ medians }) => medians[key] !== undefined),
  );
  const heads = columns.flatMap(([, { title, isCompared = false }]) =>
    isCompared ? [title, `× ${table.floor}`] : [title],
  );
  const lines = table.rows.map((row, index) => {
    // The circumstances stand once, above the rows that share them.
    const isSame = table.rows[index - 1]?.where === row.where;
    return [isSame ? "" : row.where, row.who, ...columns.flatMap(([key, column]) => cells(row, key, column))];
  });
  return `### ${table.title}\n\n${aligned([["", "", ...heads], ...lines])}\n`;
}

function cells(row: SummaryRow, key: string, { unit, isCompared = false }: Column): readonly string[] {
  const figure = row.medians[key];
  const ratio = row.ratios[key];
  const shown = figure === undefined ? "" : spelled(figure, unit);
  return isCompared ? [shown, ratio === undefined ? "" : `${ratio.toFixed(2)}×`] : [shown];
}

function spelled(figure: number, unit: Unit): string {
  const whole = Math.round(figure).toLocaleString("en");
  switch (unit) {
    case "count":
    case "perSecond":
      return whole;
    case "microseconds":
      return `${figure < 100 ? figure.toPrecision(3) : whole} µs`;
    case "milliseconds":
      return `${whole} ms`;
    case "bytes":
      return `${whole} B`;
    case "kibibytes":
      return `${whole} KiB`;
    case "percent":
      return `${whole} %`;
    default:
      return unit satisfies never;
  }
}

/** The lines of a table with its columns aligned. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cellsOf: readonly string[]): string =>
    `| ${widths.map((width, column) => (cellsOf[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...body.map(line)].join("\n");
}
