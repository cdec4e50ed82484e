/** The tables of docs/conformance.md: each run of a suite with the figures that it ends with, and what may fail. */
export interface Figures {
  readonly scenarios: number;
  /** Those it runs beside them, and does not score. */
  readonly unscored: number;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
}

export interface Documented {
  /** `0.1.16` */
  readonly version: string;
  /** As it is written there: `server --url … --suite active` */
  readonly command: string;
  readonly figures: Figures;
}

/** A row has a version first, then a command, then figures. */
const ROW =
  /^\| (?<version>\d[^ ,]*)[^|]*\| `(?<command>[^`]+)` *\| (?<scenarios>\d+)(?:, and (?<unscored>\d+) unscored)? *\| (?<passed>\d+) *\| (?<failed>\d+) *\| (?<warnings>\d+) *\|$/gm;

/** A row has a scenario first, then how many of its checks fail, then why. */
const EXCUSE = /^\| `(?<scenario>[a-z0-9-]+)` *\| (?<failed>\d+) *\| \S.*\|$/gm;

export function documentedIn(page: string): readonly Documented[] {
  return [...page.matchAll(ROW)].map(({ groups = {} }) => {
    const { version = "", command = "", ...figures } = groups;
    return {
      version,
      command,
      figures: {
        scenarios: Number(figures["scenarios"]),
        unscored: Number(figures["unscored"] ?? 0),
        passed: Number(figures["passed"]),
        failed: Number(figures["failed"]),
        warnings: Number(figures["warnings"]),
      },
    };
  });
}

/** The scenarios that fail, with how many of their checks do. */
export function excusedIn(page: string): { readonly [scenario: string]: number } {
  const rows = [...page.matchAll(EXCUSE)].map(({ groups = {} }) => groups);
  return Object.fromEntries(rows.map(({ scenario = "", failed }) => [scenario, Number(failed)]));
}
