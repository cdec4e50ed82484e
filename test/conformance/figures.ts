/** The table of docs/conformance.md: each run of a suite, and the figures that it ends with. */
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
