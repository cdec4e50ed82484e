/** Tables as Markdown: medians, and beside them how many times the floor's they are. `render` is for the terminal, the others are for the page. */
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

/**
 * Some columns of a table: a line for each circumstance, and a column for each server or amount that was compared. A cell with one
 * figure also has its ratio.
 */
export function renderCompared(table: Summary, keys: readonly string[]): string {
  const who = namesIn(table, "who");
  const titles = keys.map((key) => table.columns[key]?.title ?? "");
  const cell = (at: Pick<SummaryRow, "where" | "who">): string =>
    keys
      .map((key) => cellOf(table, key, at, keys.length === 1))
      .filter((figure) => figure !== "")
      .join(" / ");
  const lines = namesIn(table, "where").map((where) => [
    where,
    ...who.map((one) => cell({ where, who: one })),
  ]);
  return aligned([[titles.join(" / "), ...who], ...lines]);
}

/** Every column of a table as a line; the rows are the columns. */
export function renderTransposed(table: Summary): string {
  const lines = Object.entries(table.columns).map(([key, { title }]) => [
    title,
    ...table.rows.map((row) => cellOf(table, key, row)),
  ]);
  return aligned([["", ...table.rows.map(({ where, who }) => `${where}, ${who}`)], ...lines]);
}

/** The rows as they are. Their circumstances are left out if they are the same everywhere. */
export function renderRows(table: Summary): string {
  const keys = Object.keys(table.columns);
  const hasWhere = namesIn(table, "where").length > 1;
  const lines = table.rows.map((row) => [
    hasWhere ? `${row.where}, ${row.who}` : row.who,
    ...keys.map((key) => cellOf(table, key, row)),
  ]);
  return aligned([["", ...keys.map((key) => table.columns[key]?.title ?? "")], ...lines]);
}

const namesIn = (table: Summary, field: "where" | "who"): readonly string[] => [
  ...new Set(table.rows.map((row) => row[field])),
];

/** The figure of a row, and how many times the floor's it is; empty if it was not measured. */
function cellOf(
  table: Summary,
  key: string,
  { where, who }: Pick<SummaryRow, "where" | "who">,
  hasRatio = true,
): string {
  const row = table.rows.find((one) => one.where === where && one.who === who);
  const column = table.columns[key];
  const figure = row?.medians[key];
  if (column === undefined || figure === undefined) return "";
  const isCompared = hasRatio && column.isCompared === true;
  const ratio = isCompared && who !== table.floor ? row?.ratios[key] : undefined;
  const shown = spelled(figure, column.unit);
  return ratio === undefined ? shown : `${shown}, ${ratio.toFixed(2)}×`;
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
