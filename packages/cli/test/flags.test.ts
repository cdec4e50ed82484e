import { describe, expect, expectTypeOf, it } from "vitest";
import { byCloseness, closestMatch } from "../src/flags/closest-match.ts";
import { flagRows } from "../src/flags/help.ts";
import { parseArguments, ParseError } from "../src/flags/parse.ts";

const table = {
  port: { type: "number", short: "p", value: "n", default: 3001, env: "PORT", summary: "where" },
  host: { type: "string", summary: "on what" },
  wait: { type: "timeout", summary: "how long" },
  idle: { type: "duration", default: "30m", summary: "how long at most" },
  level: { type: "string", choices: ["low", "high"], default: "low", summary: "how much" },
  by: { type: "list", choices: ["air", "sea"], default: "sea", summary: "which ways" },
  name: { type: "list", env: "NAMES", summary: "who" },
  watch: { type: "boolean", short: "w", summary: "whether" },
} as const;

const read = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  parseArguments("photon test", table, args, { env, cwd: import.meta.dirname });

const values = (...given: Parameters<typeof read>) => read(...given).values;

describe("reading flags", () => {
  it("gives the default of a flag that is not given, and undefined without a default", () => {
    expect(values([])).toEqual({
      port: 3001,
      host: undefined,
      wait: undefined,
      idle: "30m",
      level: "low",
      by: ["sea"],
      name: [],
      watch: false,
    });
  });

  it("takes a value after a space, after =, and after a short flag", () => {
    expect(values(["--port", "1"]).port).toBe(1);
    expect(values(["--port=1"]).port).toBe(1);
    expect(values(["-p", "1"]).port).toBe(1);
    expect(values(["-wp1"])).toMatchObject({ watch: true, port: 1 });
  });

  it("keeps words apart from flags, in their order, and everything after --", () => {
    expect(read(["a", "--port", "1", "b", "--", "--watch", "c"])).toMatchObject({
      positionals: ["a", "b"],
      rest: ["--watch", "c"],
      values: { watch: false },
      provided: new Map([["port", ["1"]]]),
    });
  });

  it("puts a list together from commas and from flags given again", () => {
    expect(values(["--by=air,sea", "--name", "ada, bob", "--name=eve"])).toMatchObject({
      by: ["air", "sea"],
      name: ["ada", "bob", "eve"],
    });
  });

  it("takes what is not given from the environment, and an empty variable for none", () => {
    const env = { PORT: "7", NAMES: "ada,bob" };

    expect(values([], env)).toMatchObject({ port: 7, name: ["ada", "bob"] });
    expect(values(["--port=8"], env).port).toBe(8);
    expect(values([], { PORT: "" }).port).toBe(3001);
  });

  it.each([
    [["--port=-1"], '--port is a whole number from 0, not "-1".'],
    [["--port=1e3"], '--port is a whole number from 0, not "1e3".'],
    [["--port=99999999999999999999"], '--port is a whole number from 0, not "99999999999999999999".'],
    [["--port="], "--port is a whole number from 0, not nothing."],
    [["--host="], "--host needs a value, not nothing."],
    [["--host"], "--host needs a value: --host …."],
    [["--level=mid"], '--level is one of low, high, not "mid".'],
    [["--by=land"], '--by is any of air, sea, not "land".'],
    [["--wait=5 minutes"], '--wait is a length of time like 30s, 5m, 2h or 7d, or none, not "5 minutes".'],
    [["--hots=x"], 'photon test has no flag "--hots"; did you mean --host?'],
    [["--toString"], 'photon test has no flag "--toString"; "npx photon test --help" lists its flags.'],
    [["--watch", "--watch=no"], "--watch takes no value."],
  ])("says what is wrong with %j", (args, problem) => {
    expect(() => read(args)).toThrow(new ParseError(problem));
  });

  it("names a value after its flag, without dashes", () => {
    const dashed = { "ask-timeout": { type: "timeout", summary: "how long" } } as const;

    expect(
      parseArguments("photon test", dashed, ["--ask-timeout=5m"], { env: {}, cwd: "" }).values.askTimeout,
    ).toBe("5m");
  });

  it.each([
    [
      ["run", "--city", "Rome", "--watch", "tool.ts"],
      ["run", "tool.ts"],
      ["--city", "Rome"],
    ],
    [["--city=Rome", "tool.ts"], ["tool.ts"], ["--city=Rome"]],
    [["tool.ts", "--sizes", "-2.5", "--loud"], ["tool.ts"], ["--sizes", "-2.5", "--loud"]],
    [["tool.ts", "--loud", "--loud"], ["tool.ts"], ["--loud", "--loud"]],
    [["tool.ts", "--size", "-w5"], ["tool.ts"], ["--size", "-w5"]],
  ])("keeps the flags of a tool in %j, with the words that follow them", (args, positionals, toolArgs) => {
    expect(
      parseArguments("photon test", table, args, { env: {}, cwd: "", takesToolFlags: true }),
    ).toMatchObject({
      positionals,
      toolArgs,
    });
  });

  it("types each value by its flag", () => {
    expectTypeOf(values([])).toEqualTypeOf<{
      readonly port: number;
      readonly host: string | undefined;
      readonly wait: `${number}${"ms" | "s" | "m" | "h" | "d"}` | number | "none" | undefined;
      readonly idle: `${number}${"ms" | "s" | "m" | "h" | "d"}` | number;
      readonly level: "low" | "high";
      readonly by: readonly ("air" | "sea")[];
      readonly name: readonly string[];
      readonly watch: boolean;
    }>();
  });
});

describe("showing flags", () => {
  it("tells how each is given, what it may be, and what it is otherwise", () => {
    expect(flagRows(table).map(({ usage, summary }) => `${usage} | ${summary}`)).toEqual([
      "-p, --port <n> | where (default 3001, or PORT)",
      "--host <string> | on what",
      "--wait <timeout> | how long",
      "--idle <duration> | how long at most (default 30m)",
      "--level <string> | how much: low, high (default low)",
      "--by <list> | which ways: air, sea; repeatable, or several with commas (default sea)",
      "--name <list> | who; repeatable, or several with commas (NAMES)",
      "-w, --watch | whether",
    ]);
  });
});

describe("the closest match", () => {
  it.each([
    ["prot", "port"],
    ["por", "port"],
    ["ports", "port"],
    ["transprot", "transport"],
    ["trans", "transport"],
    ["log", "log-level"],
    ["dance", undefined],
    ["x", undefined],
    ["", undefined],
  ])("to %j is %j", (typed, word) => {
    expect(closestMatch(typed, ["port", "transport", "log-level"])).toBe(word);
  });
});

it("lists all words, the closest to what was typed first", () => {
  expect(byCloseness("btach", ["sessions", "batch", "bytes"])).toEqual(["batch", "bytes", "sessions"]);
});
