/** What was measured: samples, by whom and where. Everything that is shown is worked out from them. */

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
  /** Whether it is shown how many times the floor's it is. */
  readonly isCompared?: boolean;
}

/** One sample of each column that there is one of. */
export type Sample = { readonly [column: string]: number };

export interface Row {
  /** Under which circumstances; rows of the same are compared with each other. */
  readonly where: string;
  readonly who: string;
  readonly samples: readonly Sample[];
}

export interface Table {
  readonly title: string;
  /** Whoever the others of the same circumstances are compared with. */
  readonly floor: string;
  readonly columns: { readonly [column: string]: Column };
  readonly rows: readonly Row[];
}
