/** The options of `npm run bench`. */
import { parseArgs } from "node:util";
import type { Transport } from "../client/connection.ts";
import { benchServers } from "./servers.ts";
import type { Measure } from "./settings.ts";

export interface Options {
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly isQuick: boolean;
  readonly servers: readonly string[];
  readonly transports: readonly Transport[];
  /** Whether to write docs/performance.md and bench/results.json. */
  readonly writesPage: boolean;
  /** The file for the results, instead of the default. */
  readonly results: string | undefined;
  /** Whether to write docs/performance.md from bench/results.json, without a measure. */
  readonly rendersOnly: boolean;
  readonly showsHelp: boolean;
}

const transports: readonly Transport[] = ["stdio", "websocket", "http", "sse"];
const labels = benchServers.map(({ label }) => label);

export function parseOptions(args: readonly string[], measures: readonly Measure[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      rounds: { type: "string" },
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      servers: { type: "string", multiple: true, default: [] },
      transports: { type: "string", multiple: true, default: [] },
      write: { type: "boolean", default: false },
      results: { type: "string" },
      render: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { quick } = values;
  return {
    only: parseNames(
      "measure",
      values.only,
      measures.map(({ name }) => name),
    ),
    rounds: parsePositive("--rounds", values.rounds ?? (quick ? "1" : "5")),
    seconds: parsePositive("--seconds", values.seconds ?? (quick ? "0.05" : "1")),
    isQuick: quick,
    servers: parseNames("server", values.servers, labels),
    transports: parseNames("transport", values.transports, transports),
    writesPage: values.write,
    rendersOnly: values.render,
    results: values.results,
    showsHelp: values.help,
  };
}

/** The given names, separated by commas or in several flags; without any, all names. */
function parseNames<Name extends string>(
  what: string,
  given: readonly string[],
  all: readonly Name[],
): readonly Name[] {
  const named = given.flatMap((list) => list.split(",")).map((name) => name.trim());
  const found = named.map((name) => {
    const known = all.find((one) => one.toLowerCase() === name.toLowerCase());
    if (known === undefined)
      throw new Error(`There is no ${what} ${JSON.stringify(name)}; there is ${all.join(", ")}.`);
    return known;
  });
  return found.length === 0 ? all : found;
}

function parsePositive(flag: string, given: string): number {
  const number = Number(given);
  if (!(number > 0)) throw new Error(`${flag} must be a number above 0, not ${given}.`);
  return number;
}

export const help = (
  measures: readonly Measure[],
): string => `Measures the CPU, memory and latency of Photon, of thin (a server that validates nothing), and of other frameworks.

Usage: npm run bench [-- options]

  --only <measures>        some of the measures below, separated by commas
  --servers <names>        some of: ${labels.join(", ")}
  --transports <names>     some of: ${transports.join(", ")}
  --rounds <n>             the number of samples of each row (default 5)
  --seconds <n>            the duration of a sample of a rate (default 1)
  --quick                  checks that everything works; its figures mean nothing
  --write                  writes bench/results.json, and with it the tables of docs/performance.md
  --results <file>         the file for the results (default bench/dist/results.json)
  --render                 runs no measure: writes the tables of docs/performance.md from bench/results.json
  --help                   prints this help

With BENCH_PROFILES=<folder> every server writes a CPU profile into that folder when it exits.

Measures:
${measures.map(({ name, about }) => `  ${name.padEnd(24)} ${about}`).join("\n")}
`;
