/** The result of a measure: samples while it runs, medians when it is kept. */
import { median } from "./statistics.ts";

export type Unit =
  | "count"
  | "perSecond"
  | "microseconds"
  | "milliseconds"
  | "bytes"
  | "kibibytes"
  | "percent";

export interface Column {
  readonly title: string;
  readonly unit: Unit;
  /** Whether the table shows how many times the floor's figure it is. */
  readonly isCompared?: boolean;
}

/** A figure for each column that was measured. */
export type Sample = { readonly [column: string]: number };

export interface Row {
  /** The circumstances; rows with the same ones are compared with each other. */
  readonly where: string;
  readonly who: string;
  readonly samples: readonly Sample[];
}

interface TableOf<Content> {
  readonly title: string;
  /** The row that the others with the same circumstances are compared with. */
  readonly floor: string;
  readonly columns: { readonly [column: string]: Column };
  readonly rows: readonly Content[];
}

export type Table = TableOf<Row>;

/** A row without its samples. */
export interface SummaryRow extends Pick<Row, "where" | "who"> {
  readonly medians: Sample;
  /** How many times the floor's figure it is: the median of the ratios of each round, because a round that is slow is slow for both. */
  readonly ratios: Sample;
}

export type Summary = TableOf<SummaryRow>;

export function summarize(table: Table): Summary {
  const columns = Object.keys(table.columns);
  const rows = table.rows.map((row) => {
    const { where, who, samples } = row;
    const floor = table.rows.find((other) => other.where === where && other.who === table.floor);
    const figures = (key: string): readonly number[] =>
      samples.flatMap(({ [key]: figure }) => (figure === undefined ? [] : [figure]));
    const ratios = (key: string): readonly number[] =>
      samples.flatMap(({ [key]: figure }, round) => {
        const least = floor?.samples[round]?.[key];
        return figure === undefined || least === undefined || least <= 0 ? [] : [figure / least];
      });
    return { where, who, medians: mediansOf(columns, figures), ratios: mediansOf(columns, ratios) };
  });
  return { ...table, rows };
}

const mediansOf = (columns: readonly string[], figuresOf: (key: string) => readonly number[]): Sample =>
  Object.fromEntries(
    columns.flatMap((key) => {
      const figures = figuresOf(key);
      return figures.length === 0 ? [] : [[key, median(figures)]];
    }),
  );
