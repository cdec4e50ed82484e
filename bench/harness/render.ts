/** Tables as Markdown: medians, and beside them how many times the floor's they are. Pure. */
import { median } from "./statistics.ts";
import type { Column, Row, Table, Unit } from "./table.ts";

/** With a heading, and aligned as the formatter does it. */
export function render(table: Table): string {
  const columns = Object.entries(table.columns).filter(([key]) =>
    table.rows.some(({ samples }) => samples.some((sample) => sample[key] !== undefined)),
  );
  const heads = columns.flatMap(([, { title, isCompared = false }]) =>
    isCompared ? [title, `× ${table.floor}`] : [title],
  );
  const lines = table.rows.map((row, index) => {
    // Said once, above those it holds for.
    const isSame = table.rows[index - 1]?.where === row.where;
    const floor = table.rows.find(({ where, who }) => where === row.where && who === table.floor);
    return [
      isSame ? "" : row.where,
      row.who,
      ...columns.flatMap(([key, column]) => cells(row, floor, key, column)),
    ];
  });
  return `${["### ", table.title].join("")}\n\n${aligned([["", "", ...heads], ...lines])}\n`;
}

function cells(
  row: Row,
  floor: Row | undefined,
  key: string,
  { unit, isCompared = false }: Column,
): readonly string[] {
  const figures = row.samples.flatMap(({ [key]: figure }) => (figure === undefined ? [] : [figure]));
  const figure = figures.length === 0 ? "" : spelled(median(figures), unit);
  return isCompared ? [figure, ratio(row, floor, key)] : [figure];
}

/** The median of the ratios of each round: what made a round slow made it slow for both. */
function ratio(row: Row, floor: Row | undefined, key: string): string {
  const ratios = row.samples.flatMap(({ [key]: figure }, round) => {
    const least = floor?.samples[round]?.[key];
    return figure === undefined || least === undefined || least <= 0 ? [] : [figure / least];
  });
  return ratios.length === 0 ? "" : `${median(ratios).toFixed(2)}×`;
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

function aligned(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cellsOf: readonly string[]): string =>
    `| ${widths.map((width, column) => (cellsOf[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...body.map(line)].join("\n");
}
