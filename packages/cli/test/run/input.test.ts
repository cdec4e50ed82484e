import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { ask, tool, type Body } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { runTools } from "../run-in-process.ts";
import { toolFolder } from "./tool-folder.ts";

const book = tool({
  description: "Books a room",
  input: {
    type: "object",
    properties: {
      city: { type: "string", description: "Where to" },
      nights: { type: "integer", minimum: 1, default: 1 },
      breakfast: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
      sizes: { type: "array", items: { type: "number" } },
      room: { enum: ["single", "double"] },
      address: { $ref: "#/$defs/address" },
      checkIn: { type: "string", format: "date" },
      json: { type: "string" },
      ratio: { anyOf: [{ type: "number" }, { type: "null" }] },
      more: {},
    },
    required: ["city"],
    $defs: {
      address: {
        type: "object",
        properties: { street: { type: "string" }, number: { type: "integer" } },
      },
    },
  } as const,
  async *run(input): Body<unknown> {
    return input;
  },
});

describe("the input of photon run", () => {
  it.each([
    ["texts and numbers", ["--city", "Paris", "--nights=3"], { city: "Paris", nights: 3 }],
    ["a flag", ["--city", "Paris", "--breakfast"], { breakfast: true }],
    ["the contrary of a flag", ["--city", "Paris", "--no-breakfast"], { breakfast: false }],
    ["a flag with a value", ["--city", "Paris", "--breakfast", "false"], { breakfast: false }],
    ["several", ["--city", "Paris", "--tags", "a", "--tags", "b,c"], { tags: ["a", "b,c"] }],
    ["several numbers", ["--city", "Paris", "--sizes", "1", "--sizes", "-2.5"], { sizes: [1, -2.5] }],
    ["a list as JSON", ["--city", "Paris", "--sizes", "[1,2]"], { sizes: [1, 2] }],
    ["a choice", ["--city", "Paris", "--room", "double"], { room: "double" }],
    [
      "parts",
      ["--city", "Paris", "--address.street", "High St", "--address.number", "5"],
      { address: { street: "High St", number: 5 } },
    ],
    ["an object as JSON", ["--city", "Paris", "--address", '{"street":"A"}'], { address: { street: "A" } }],
    ["a name with dashes", ["--city", "Paris", "--check-in", "2026-07-28"], { checkIn: "2026-07-28" }],
    ["what may be null", ["--city", "Paris", "--ratio", "0.5"], { ratio: 0.5 }],
    ["what is called like a flag of ours", ["--city", "Paris", "--", "--json", "x"], { json: "x" }],
    ["JSON", ["--input", '{"city":"Paris","nights":2}'], { city: "Paris", nights: 2 }],
    [
      "JSON, and flags over it",
      ["--input", '{"city":"Paris","nights":2}', "--nights", "5"],
      { city: "Paris", nights: 5 },
    ],
    ["a file", ["--input", "@input.json"], { city: "Rome" }],
    ["defaults where nothing is said", ["--city", "Paris"], { nights: 1 }],
  ])(verifies("D2", "may be %s"), async (_, args, expected) => {
    const { folder } = toolFolder({ "input.json": '{"city":"Rome"}' });
    const { stdout, stderr } = await runTools({ book }, ["book.js", ...args], { cwd: folder });

    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  it("may come from stdin, which then has no answers in it", async () => {
    const one = tool({
      input: { type: "object", properties: { city: { type: "string" } } },
      async *run({ city }) {
        return [city, (yield* ask.outcome(ask.text("Name?"))).action];
      },
    });
    const { stdout } = await runTools({ one }, ["one.js", "--input", "-"], { input: '{"city":"Oslo"}' });

    expect(JSON.parse(stdout)).toEqual(["Oslo", "cancel"]);
  });

  it("joins what is given to one list several times, and not the lists of others", async () => {
    const tags = { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } };
    const one = tool({
      input: { type: "object", properties: { a: tags, b: tags } },
      async *run(input): Body<unknown> {
        return input;
      },
    });
    const before = '{"a":{"tags":["old"]},"b":{"tags":["old"]}}';
    const flags = ["--a.tags", "x", "--b.tags", "y", "--a.tags", "z"];
    const { stdout } = await runTools({ one }, ["one.js", "--input", before, ...flags]);

    expect(JSON.parse(stdout)).toEqual({ a: { tags: ["x", "z"] }, b: { tags: ["y"] } });
  });

  it("is waited for until the first ctrl+c", async () => {
    const signals = new EventEmitter();
    const endless = new Readable({
      read() {
        signals.emit("SIGINT");
      },
    });
    const { stderr, exitCode } = await runTools({ book }, ["book.js", "--input", "-"], {
      input: endless,
      signals,
    });

    expect({ stderr, exitCode }).toEqual({ stderr: "The run was interrupted.\n", exitCode: 130 });
  });

  it.each([
    [
      "what is missing",
      [],
      "Invalid input for book: city is required. npx photon run book.js --help shows its input.",
    ],
    [
      "what does not fit",
      ["--city", "Paris", "--nights", "0"],
      "Invalid input for book: nights must be at least 1.",
    ],
    [
      "what is no number",
      ["--city", "Paris", "--nights", "two"],
      "Invalid input for book: nights must be a whole number.",
    ],
    [
      "a flag that was meant otherwise",
      ["--ctiy", "Paris"],
      "book has no input --ctiy; did you mean --city?",
    ],
    [
      "a flag of ours that was meant otherwise",
      ["--anwser", "a=b"],
      "book has no input --anwser; did you mean --answer?",
    ],
    ["a flag that is nothing", ["--zzzzzz", "1"], "book has no input --zzzzzz; it has --city, --nights,"],
    ["a flag without its value", ["--city"], "--city needs a value."],
    ["a word too much", ["--city", "Paris", "--breakfast", "please"], 'book takes no argument "please"'],
    ["input that is not JSON", ["--input", "{"], "The input in --input is not JSON"],
    ["input that is not an object", ["--input", "[]"], "The input in --input is not a JSON object."],
    [
      "an input file that is not there",
      ["--input", "@none.json"],
      "The input in none.json cannot be read: there is no such file.",
    ],
  ])(verifies("D5", "is refused for %s in one sentence, with exit code 2"), async (_, args, sentence) => {
    const { stdout, stderr, exitCode } = await runTools({ book }, ["book.js", ...args]);

    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  });

  it.each([
    ["a second file", ["other.js"], 'photon run takes one file; remove "other.js".'],
    ["a flag of ours without its value", ["--record"], "--record needs a value: --record file.json."],
    [
      "a flag of ours that has the next flag in the place of its value",
      ["--record", "--json"],
      "--record needs a value: --record file.json; or write --record=--json.",
    ],
    ["a flag of ours with one too many", ["--json=yes"], "--json takes no value."],
    ["a flag of ours given twice", ["--out", "a", "--out", "b"], "--out is given 2 times; give it once."],
    ["an invalid level", ["--log-level", "loud"], "--log-level is one of debug, info,"],
    [
      "an invalid time",
      ["--ask-timeout", "soon"],
      '--ask-timeout is a length of time like 30s, 5m, 2h or 7d, or none, not "soon".',
    ],
  ])(verifies("D5", "is not read with %s"), async (_, args, sentence) => {
    await expect(runTools({ book }, ["book.js", ...args])).rejects.toThrow(sentence);
  });

  it("is shown by the help of a tool", async () => {
    const { stdout, exitCode } = await runTools({ book }, ["book.js#book", "--help"]);

    expect(stdout).toContain(
      "Usage: npx photon run book.js#book [--field value …] [flags]\n\nBooks a room\n\nInput:\n",
    );
    expect(stdout).toMatch(/^ {2}--city <text> +Where to \(required\)$/m);
    expect(stdout).toMatch(/^ {2}--nights <integer> +\(at least 1; default 1\)$/m);
    expect(stdout).toMatch(/^ {2}--\[no-\]breakfast$/m);
    expect(stdout).toMatch(/^ {2}--tags <text> …$/m);
    expect(stdout).toMatch(/^ {2}--room single\|double$/m);
    expect(stdout).toMatch(/^ {2}--address <JSON> +\(or by part: --address.street …\)$/m);
    expect(stdout).toMatch(/^ {2}-- --json <text>$/m);
    expect(stdout).toContain("  --answer <id=value>");
    expect(exitCode).toBe(0);
  });

  it("is not loaded for the help of the command", async () => {
    const { stdout, exitCode } = await toolFolder({}).run(["--help"]);

    expect(stdout).toContain("Usage: npx photon run <file>[#tool] [--field value …] [flags]");
    expect(exitCode).toBe(0);
  });
});

describe("the tool of photon run", () => {
  it("is waited for until the first ctrl+c", async () => {
    const signals = new EventEmitter();
    const load = () => {
      queueMicrotask(() => signals.emit("SIGINT"));
      return new Promise<never>(() => {});
    };

    expect(await runTools({}, ["one.js"], { signals, load })).toMatchObject({ exitCode: 130 });
  });

  const returning = (value: number) =>
    tool({
      async *run() {
        return value;
      },
    });
  const two = { one: returning(1), two: returning(2) };

  it("is the only one of its file, or the one that is named", async () => {
    expect((await runTools({ one: returning(1) }, ["one.js"])).stdout).toBe("1\n");
    expect((await runTools(two, ["two.js#two"])).stdout).toBe("2\n");
  });

  it.each([
    ["which one is not said", ["two.js"], "There are 2 tools in two.js; say which: two.js#one, two.js#two."],
    [
      "it is not there",
      ["two.js#three"],
      'There is no tool "three" in two.js; there is two.js#one, two.js#two.',
    ],
    ["its name is misspelt", ["two.js#tow"], 'There is no tool "tow" in two.js; did you mean two.js#two?'],
    ["no file is named", [], "photon run needs a file: npx photon run <file>[#tool]."],
  ])(verifies("D5", "is asked for in one sentence where %s"), async (_, args, sentence) => {
    expect(await runTools(two, args)).toEqual({ stdout: "", stderr: `${sentence}\n`, exitCode: 2 });
  });

  it(
    verifies("D5", "is named before its flags, and a file that cannot be loaded is named, too"),
    async () => {
      const { run } = toolFolder({ "broken.js": "export const = 1;", "empty.js": "export const a = 1;" });

      expect(await run(["--city", "Paris", "one.js"])).toMatchObject({
        stderr: "Name the file before the tool's own flags: npx photon run <file>[#tool] --city …\n",
        exitCode: 2,
      });
      for (const file of ["broken.js", "empty.js", "none.js"]) {
        const { stdout, stderr, exitCode } = await run([file]);
        expect(stderr).toContain(file);
        expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      }
    },
  );

  it("may live in a file with a # in its name", async () => {
    const { folder } = toolFolder({ "c#.js": "" });

    expect((await runTools({ one: returning(1) }, ["c#.js"], { cwd: folder })).stdout).toBe("1\n");
  });

  it("is loaded from TypeScript as it is", async () => {
    const { run } = toolFolder({
      "one.ts": `import { ask, tool } from "@photon/core";
        export const one = tool({ async *run() { const n: number = yield* ask.number("N?"); return n + 1; } });`,
    });

    expect(await run(["one.ts"], { input: "41\n" })).toMatchObject({ stdout: "42\n", exitCode: 0 });
  });

  it("is refused before it runs where it needs what a terminal has not", async () => {
    const one = tool({
      needs: ["sample"],
      async *run() {
        return 1;
      },
    });

    expect(await runTools({ one }, ["one.js"])).toMatchObject({
      stderr: "one needs a client that can do: sample.\n",
      exitCode: 1,
    });
  });
});
