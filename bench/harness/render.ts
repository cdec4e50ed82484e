/** Tables as Markdown: medians, and beside them how many times the baseline's they are. `render` is for the terminal, the others are for the page. */
import type { Column, Summary, SummaryRow, Unit } from "./table.ts";

/** With a heading, and aligned as the formatter does it. */
export function render(table: Summary): string {
  const columns = Object.entries(table.columns).filter(([key]) =>
    table.rows.some(({ medians }) => medians[key] !== undefined),
  );
  const heads = columns.flatMap(([, { title, isCompared = false }]) =>
    isCompared ? [title, `× ${table.baseline}`] : [title],
  );
  const lines = table.rows.map((row, index) => {
    // The scenario stands once, above the rows that share it.
    const isSame = table.rows[index - 1]?.scenario === row.scenario;
    return [
      isSame ? "" : row.scenario,
      row.variant,
      ...columns.flatMap(([key, column]) => cells(row, key, column)),
    ];
  });
  return `### ${table.title}\n\n${aligned([["", "", ...heads], ...lines])}\n`;
}

/**
 * Some columns of a table: a line for each scenario, and a column for each variant. A cell with one
 * figure also has its ratio.
 */
export function renderCompared(table: Summary, keys: readonly string[]): string {
  const variants = namesIn(table, "variant");
  const titles = keys.map((key) => table.columns[key]?.title ?? "");
  const cell = (at: Pick<SummaryRow, "scenario" | "variant">): string =>
    keys
      .map((key) => cellOf(table, key, at, keys.length === 1))
      .filter((figure) => figure !== "")
      .join(" / ");
  const lines = namesIn(table, "scenario").map((scenario) => [
    scenario,
    ...variants.map((variant) => cell({ scenario, variant })),
  ]);
  return aligned([[titles.join(" / "), ...variants], ...lines]);
}

/** Every column of a table as a line; the rows are the columns. */
export function renderTransposed(table: Summary): string {
  const lines = Object.entries(table.columns).map(([key, { title }]) => [
    title,
    ...table.rows.map((row) => cellOf(table, key, row)),
  ]);
  return aligned([["", ...table.rows.map(({ scenario, variant }) => `${scenario}, ${variant}`)], ...lines]);
}

/** The rows as they are. The scenario is left out if it is the same everywhere. */
export function renderRows(table: Summary): string {
  const keys = Object.keys(table.columns);
  const hasScenarios = namesIn(table, "scenario").length > 1;
  const lines = table.rows.map((row) => [
    hasScenarios ? `${row.scenario}, ${row.variant}` : row.variant,
    ...keys.map((key) => cellOf(table, key, row)),
  ]);
  return aligned([["", ...keys.map((key) => table.columns[key]?.title ?? "")], ...lines]);
}

const namesIn = (table: Summary, field: "scenario" | "variant"): readonly string[] => [
  ...new Set(table.rows.map((row) => row[field])),
];

/** The figure of a row, and how many times the baseline's it is; empty if it was not measured. */
function cellOf(
  table: Summary,
  key: string,
  { scenario, variant }: Pick<SummaryRow, "scenario" | "variant">,
  hasRatio = true,
): string {
  const row = table.rows.find((one) => one.scenario === scenario && one.variant === variant);
  const column = table.columns[key];
  const figure = row?.medians[key];
  if (column === undefined || figure === undefined) return "";
  const isCompared = hasRatio && column.isCompared === true;
  const ratio = isCompared && variant !== table.baseline ? row?.ratios[key] : undefined;
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
