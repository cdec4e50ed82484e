/**
 * The goals of speed and memory. Each is judged by the results of the last run, and docs/performance.md shows whether it is met.
 * No test checks them: the figures depend on the machine.
 */
import type { Results } from "./results.ts";
import type { Summary, SummaryRow } from "./table.ts";

export interface Verdict {
  readonly isMet: boolean;
  /** The figures that the verdict is based on. */
  readonly figures: string;
}

interface Goal {
  readonly id: string;
  readonly goal: string;
  /** Returns undefined if the results lack one of the measures. */
  readonly judge: (results: Results) => Verdict | undefined;
}

export const goals: readonly Goal[] = [
  {
    id: "F1",
    goal: "CPU per call and per question: at most 1.5× thin everywhere, and less than the other frameworks",
    judge: ({ calls, asks }) => {
      const tables = [calls?.tables[0], asks?.tables[0]];
      if (!tables.every((table) => table !== undefined)) return undefined;
      const ratios = tables.flatMap((table) => ratiosOf(table, "server"));
      const over = ratios.filter((ratio) => ratio > 1.5);
      const behind = tables.flatMap((table) => cellsBehindPeers(table, "server"));
      return {
        isMet: over.length === 0 && behind.length === 0,
        figures: `${over.length} of ${ratios.length} cells are over 1.5×, the highest is ${times(Math.max(...ratios))}; more CPU than another framework in ${behind.length === 0 ? "no cell" : behind.join("; ")}`,
      };
    },
  },
  {
    id: "F2",
    goal: "heap: at most 3 KiB for a waiting question, 10 KiB for an idle WebSocket session, 4 KiB for an idle HTTP session",
    judge: ({ waiting, sessions }) => {
      const questions = waiting?.tables[0];
      const idle = sessions?.tables[0];
      if (questions === undefined || idle === undefined) return undefined;
      const question = Math.max(...ofPhoton(questions).map(({ medians }) => medians["many"] ?? Infinity));
      const webSocket = heapOf(idle, "WebSocket");
      const http = heapOf(idle, "Streamable HTTP");
      return {
        isMet: question <= 3 * KIB && webSocket <= 10 * KIB && http <= 4 * KIB,
        figures: `${kib(question)}, ${kib(webSocket)}, ${kib(http)}`,
      };
    },
  },
  {
    id: "F3",
    goal: "CPU per call with 1,000 tools, and with 20,000 questions waiting: at most 1.25× that with 3, and with none",
    judge: ({ tools, parked }) => {
      const tables = [tools?.tables[0], parked?.tables[0]];
      if (!tables.every((table) => table !== undefined)) return undefined;
      const [many = Infinity, waiting = Infinity] = tables.map((table) =>
        Math.max(
          ...table.rows
            .filter(({ scenario, variant }) => scenario.endsWith("Photon") && variant !== table.baseline)
            .map(({ ratios }) => ratios["server"] ?? Infinity),
        ),
      );
      return { isMet: many <= 1.25 && waiting <= 1.25, figures: `${times(many)}, ${times(waiting)}` };
    },
  },
  {
    id: "F4",
    goal: "`photon serve` answers `initialize` within 1.5× thin with a JavaScript tool, 2× with a TypeScript tool",
    judge: ({ startup }) => {
      const rows = startup?.tables[0]?.rows;
      const timeOf = (variant: string): number | undefined =>
        rows?.find((row) => row.variant === `photon serve, ${variant}`)?.ratios["time"];
      const javaScript = timeOf("JavaScript");
      const typeScript = timeOf("TypeScript");
      // Only where Node has a compile cache.
      const cold = timeOf("TypeScript, cold");
      if (javaScript === undefined || typeScript === undefined) return undefined;
      return {
        isMet: javaScript <= 1.5 && (cold ?? typeScript) <= 2,
        figures: `${times(javaScript)}; TypeScript ${times(typeScript)}${cold === undefined ? "" : `, cold ${times(cold)}`}`,
      };
    },
  },
  {
    id: "F5",
    goal: "replay costs the same for each answer, however many there are: 1,000 at most 1.5× ten",
    judge: ({ replay }) => {
      const ratio = replay?.tables[0]?.rows.find(({ variant }) => variant === "1,000 answers")?.ratios[
        "cost"
      ];
      return ratio === undefined ? undefined : { isMet: ratio <= 1.5, figures: times(ratio) };
    },
  },
  {
    id: "F6",
    goal: "100 progress notifications arrive before the result on every transport, and cost at most 1.5× thin",
    judge: ({ notifications }) => {
      const [sent, received] = notifications?.tables ?? [];
      if (sent === undefined || received === undefined) return undefined;
      const arrived = [sent, received].flatMap(ofPhoton).map(({ medians }) => medians["arrived"] ?? 0);
      const ratio = Math.max(...ratiosOf(sent, "server"));
      return {
        isMet: arrived.every((count) => count === 100) && ratio <= 1.5,
        figures: `the fewest that arrived were ${Math.min(...arrived)}; at most ${times(ratio)}`,
      };
    },
  },
];

const KIB = 1024;
const times = (ratio: number): string => `${ratio.toFixed(2)}×`;
const kib = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KiB`;

const ofPhoton = ({ rows }: Summary): readonly SummaryRow[] =>
  rows.filter(({ variant }) => variant === "Photon");

const ratiosOf = (table: Summary, column: string): readonly number[] =>
  ofPhoton(table).map(({ ratios }) => ratios[column] ?? Infinity);

/** The servers that are baselines and not frameworks. */
const BASELINES: ReadonlySet<string> = new Set(["thin", "ws echo", "Photon"]);

/** Where another framework has a lower figure than Photon. */
const cellsBehindPeers = (table: Summary, column: string): readonly string[] =>
  ofPhoton(table).flatMap(({ scenario, medians }) => {
    const isBehind = table.rows.some(
      (row) =>
        row.scenario === scenario &&
        !BASELINES.has(row.variant) &&
        (row.medians[column] ?? Infinity) < (medians[column] ?? 0),
    );
    return isBehind ? [scenario] : [];
  });

const heapOf = (table: Summary, transport: string): number =>
  ofPhoton(table).find(({ scenario }) => scenario.startsWith(transport))?.medians["heap"] ?? Infinity;
