/** The table of a measure: its rows have samples while it runs, and medians when it is saved. */
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
  /** Whether the table shows the ratio to the baseline's figure. */
  readonly isCompared?: boolean;
}

/** A figure for each column that was measured. */
export type Sample = { readonly [column: string]: number };

export interface Row {
  /** The scenario. Rows of the same scenario are compared with each other. */
  readonly scenario: string;
  /** What was measured there: a server, a load, a command. */
  readonly variant: string;
  readonly samples: readonly Sample[];
}

interface TableOf<Content> {
  readonly title: string;
  /** The `variant` of the row that the others of its scenario are compared with. */
  readonly baseline: string;
  readonly columns: { readonly [column: string]: Column };
  readonly rows: readonly Content[];
}

export type Table = TableOf<Row>;

/** A row without its samples. */
export interface SummaryRow extends Pick<Row, "scenario" | "variant"> {
  readonly medians: Sample;
  /** Ratios to the baseline's figures: the median of the ratios of each round, because other load on the machine slows both rows of a round. */
  readonly ratios: Sample;
}

export type Summary = TableOf<SummaryRow>;

export function summarize(table: Table): Summary {
  const columns = Object.keys(table.columns);
  const rows = table.rows.map((row) => {
    const { scenario, variant, samples } = row;
    const baseline = table.rows.find(
      (other) => other.scenario === scenario && other.variant === table.baseline,
    );
    const figures = (key: string): readonly number[] =>
      samples.flatMap(({ [key]: figure }) => (figure === undefined ? [] : [figure]));
    const ratios = (key: string): readonly number[] =>
      samples.flatMap(({ [key]: figure }, round) => {
        const least = baseline?.samples[round]?.[key];
        return figure === undefined || least === undefined || least <= 0 ? [] : [figure / least];
      });
    return { scenario, variant, medians: mediansOf(columns, figures), ratios: mediansOf(columns, ratios) };
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
