/** What `npm run bench` can be told. */
import { parseArgs } from "node:util";
import type { Transport } from "../client/wire.ts";
import { contestants } from "./contestants.ts";
import type { Measure } from "./plan.ts";

export interface Options {
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly isQuick: boolean;
  readonly servers: readonly string[];
  readonly transports: readonly Transport[];
  /** Whether the page is written, and the results beside it. */
  readonly isWritten: boolean;
  /** Where the results go otherwise. */
  readonly results: string | undefined;
  readonly isHelp: boolean;
}

const transports: readonly Transport[] = ["stdio", "websocket", "http", "sse"];
const labels = contestants.map(({ label }) => label);

export function readOptions(args: readonly string[], measures: readonly Measure[]): Options {
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
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { quick } = values;
  return {
    only: chosen(
      "measure",
      values.only,
      measures.map(({ name }) => name),
    ),
    rounds: amount("--rounds", values.rounds ?? (quick ? "1" : "5")),
    seconds: amount("--seconds", values.seconds ?? (quick ? "0.05" : "1")),
    isQuick: quick,
    servers: chosen("server", values.servers, labels),
    transports: chosen("transport", values.transports, transports),
    isWritten: values.write,
    results: values.results,
    isHelp: values.help,
  };
}

/** Those that were named, separated by commas or one by one; all of them, where none was. */
function chosen<Name extends string>(
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

function amount(flag: string, given: string): number {
  const number = Number(given);
  if (!(number > 0)) throw new Error(`${flag} is a number above 0, not ${given}.`);
  return number;
}

export const help = (
  measures: readonly Measure[],
): string => `What Photon costs, beside a server that checks nothing and beside others.

Usage: npm run bench [-- options]

  --only <measures>        some of the measures below, separated by commas
  --servers <names>        some of: ${labels.join(", ")}
  --transports <names>     some of: ${transports.join(", ")}
  --rounds <n>             how many samples of each: 5
  --seconds <n>            how long a sample of a rate takes: 1
  --quick                  tries whether everything works; its figures say nothing
  --write                  writes docs/performance.md, and bench/results.json, from which it is made
  --results <file>         where the results go otherwise: bench/dist/results.json
  --help                   this

With BENCH_PROFILES=<folder> every server leaves a profile of its processor time there.

Measures:
${measures.map(({ name, about }) => `  ${name.padEnd(24)} ${about}`).join("\n")}
`;
