import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ask, emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { runTools } from "../run-in-process.ts";
import { toolOf, toolFolder } from "./tool-folder.ts";

const book = tool({
  async *run() {
    const name = yield* ask.text("Who are you?", { id: "name" });
    const nights = yield* ask.number("How many nights?", { id: "nights", max: 30, retries: 2 });
    return { name, nights };
  },
});

/** Asks for a text by each of these ids. */
const texts = (...ids: readonly string[]) =>
  tool({
    async *run() {
      const answers: string[] = [];
      for (const id of ids) answers.push(yield* ask.text(`${id}?`, { id }));
      return answers;
    },
  });

const token = tool({
  async *run() {
    return (yield* ask.secret("Token?", { id: "token" })).reveal().length;
  },
});

const danger = tool({
  async *run() {
    return yield* ask.confirm("Delete it?", { id: "gone", dangerous: true });
  },
});

describe("photon run with answers", () => {
  it(
    verifies("D2", "takes those of the command line first, then those of a file, then the lines of stdin"),
    async () => {
      const { folder } = toolFolder({ "answers.json": '{ "a": "file", "b": "file" }' });
      const args = ["one.js", "--answer", "a=flag", "--answers", "answers.json"];
      const { stdout } = await runTools({ one: texts("a", "b", "c") }, args, {
        input: "line\n",
        cwd: folder,
      });

      expect(JSON.parse(stdout)).toEqual(["flag", "file", "line"]);
    },
  );

  it("gives the second answer of an id to the second attempt", async () => {
    const args = ["book.js", "--answer", "name=Ada", "--answer", "nights=31", "--answer=nights=3"];

    expect(JSON.parse((await runTools({ book }, args)).stdout)).toEqual({ name: "Ada", nights: 3 });
  });

  it("takes several answers of one id for several choices", async () => {
    const one = tool({
      async *run() {
        return yield* ask.multiselect("Which?", { a: "A", b: "B", c: "C" }, { id: "which" });
      },
    });
    const { stdout } = await runTools({ one }, ["one.js", "--answer", "which=a", "--answer", "which=c"]);

    expect(JSON.parse(stdout)).toEqual(["a", "c"]);
  });

  it("answers unnamed asks by their ordinal, and asks that come again by their count", async () => {
    const one = tool({
      async *run() {
        const first = yield* ask.text("A?");
        return [first, yield* ask.text("B?", { id: "b" }), yield* ask.text("B?", { id: "b" })];
      },
    });
    const args = ["one.js", "--answer", "ask-1=x=y", "--answer", "b=first", "--answer", "b#2=second"];

    expect(JSON.parse((await runTools({ one }, args)).stdout)).toEqual(["x=y", "first", "second"]);
  });

  it("takes what is in a file as it is, texts as a line would be taken", async () => {
    const answers = { name: "Ada", nights: "3" };
    const { folder } = toolFolder({ "answers.json": JSON.stringify(answers) });
    const { stdout } = await runTools({ book }, ["book.js", "--answers", "answers.json"], { cwd: folder });

    expect(JSON.parse(stdout)).toEqual({ name: "Ada", nights: 3 });
  });

  it("lets a file decline, cancel, and let time go by", async () => {
    const one = tool({
      async *run() {
        const actions: string[] = [];
        for (const id of ["a", "b", "c"])
          actions.push((yield* ask.outcome(ask.text(`${id}?`, { id }))).action);
        return actions;
      },
    });
    const answers = { a: { $action: "decline" }, b: { $action: "cancel" }, c: { $action: "timeout" } };
    const { folder } = toolFolder({ "answers.json": JSON.stringify(answers) });
    const { stdout } = await runTools({ one }, ["one.js", "--answers", "answers.json"], { cwd: folder });

    expect(JSON.parse(stdout)).toEqual(["decline", "cancel", "timeout"]);
  });

  it("declines and cancels the questions that --decline and --cancel name, each time they are asked", async () => {
    const one = tool({
      async *run() {
        const actions: string[] = [];
        for (const id of ["a", "b", "c"])
          actions.push((yield* ask.outcome(ask.text(`${id}?`, { id }))).action);
        return actions;
      },
    });
    const args = ["one.js", "--decline", "a", "--cancel=b", "--decline", "nothing", "--answer", "c=yes"];
    const { stdout, stderr } = await runTools({ one }, args);

    expect(JSON.parse(stdout)).toEqual(["decline", "cancel", "accept"]);
    expect(stderr).toContain("nothing");
  });

  it.each([
    ["true", "accept"],
    ['"yes"', "accept"],
    ['"done"', "accept"],
    ["false", "decline"],
    ["null", "cancel"],
    ["0", "cancel"],
    ["1", "cancel"],
    ["{}", "cancel"],
    ["[]", "cancel"],
    ['"no"', "decline"],
    ['""', "cancel"],
    ['"hunter2"', "cancel"],
  ])(verifies("B1", "takes %s in a file for a visit as: %s"), async (answer, action) => {
    const one = tool({
      async *run() {
        return (yield* ask.outcome(ask.url("Sign in", "https://example.org", { id: "go" }))).action;
      },
    });
    const { folder } = toolFolder({ "answers.json": `{ "go": ${answer} }` });
    const { stdout } = await runTools({ one }, ["one.js", "--answers", "answers.json"], { cwd: folder });

    expect(stdout).toBe(`${action}\n`);
  });

  it(verifies("D5", "says so when nothing was asked by the id that was answered"), async () => {
    const { stderr } = await runTools({ book }, ["book.js", "--answer", "nmae=Ada"], { input: "Ada\n3\n" });

    expect(stderr).toContain("nmae");
  });

  it.each([
    ["an answer without an id", ["--answer", "Ada"], '--answer takes id=value, not "Ada".'],
    ["one id answered and declined", ["--answer", "a=x", "--decline", "a"], '"a" is given to more than one'],
    ["one id declined and cancelled", ["--decline", "a", "--cancel", "a"], '"a" is given to more than one'],
    [
      "a file that is not there",
      ["--answers", "none.json"],
      "The answers in none.json cannot be read: there is no such file.",
    ],
    ["answers that are a folder", ["--answers", "."], "The answers in . cannot be read: it is a folder."],
    ["a file that is not JSON", ["--answers", "text.json"], "text.json is not JSON."],
    ["a file without ids", ["--answers", "list.json"], "list.json is not an object of answers by id"],
  ])(verifies("D5", "refuses %s before the tool runs"), async (_, args, sentence) => {
    const { folder } = toolFolder({ "text.json": "Ada", "list.json": "[1]" });
    let hasRun = false;
    const one = tool({
      async *run() {
        hasRun = true;
      },
    });
    const { stderr, exitCode } = await runTools({ one }, ["one.js", ...args], { cwd: folder });

    expect(stderr).toContain(sentence);
    expect({ hasRun, exitCode }).toEqual({ hasRun: false, exitCode: 2 });
  });

  it(
    verifies(
      "D2",
      "with --no-input ends at the first question without an answer, whatever the tool could do",
    ),
    async () => {
      const one = tool({
        async *run() {
          try {
            yield* ask.text("A?", { id: "a" });
            return yield* ask.text("B?", { id: "b", fallback: { cancel: "anything" } });
          } finally {
            yield emit.status("Cleaned up");
          }
        },
      });
      const args = ["one.js", "--no-input", "--answer", "a=1"];
      const { stdout, stderr, exitCode } = await runTools({ one }, args, { input: "never read\n" });

      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
      expect(stderr).toContain('An answer is needed to "B?" (b)');
      expect(stderr).toContain("Cleaned up");
    },
  );
});

describe("photon run --record", () => {
  it(verifies("D2", "writes answers that replay the run"), async () => {
    const { folder, run } = toolFolder({
      "book.js": toolOf(
        'return [yield* ask.text("Who?", { id: "name" }), yield* ask.number("Nights?", { id: "nights", retries: 2 })];',
      ),
    });
    const live = await run(["book.js", "--record", "answers.json"], { input: "Ada\nmany\n3\n" });
    const replayed = await run(["book.js", "--answers", "answers.json", "--no-input"]);

    expect(JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))).toEqual({
      name: "Ada",
      nights: { $attempts: ["many", 3] },
    });
    expect(replayed.stdout).toBe(live.stdout);
    expect(replayed.exitCode).toBe(0);
  });

  it(verifies("B6", "leaves secrets out, says so, and asks for them again"), async () => {
    const { folder } = toolFolder({});
    const scene = { input: "hunter2222\n", cwd: folder };
    await runTools({ token }, ["one.js", "--record", "answers.json"], scene);
    const recorded = readFileSync(join(folder, "answers.json"), "utf8");
    const again = { input: "another\n", cwd: folder };
    const replayed = await runTools({ token }, ["one.js", "--answers", "answers.json"], again);

    expect(JSON.parse(recorded)).toEqual({ token: { $secret: "not recorded" } });
    expect(replayed.stdout).toBe("7\n");
  });

  it("records files by their path, and urls as done", async () => {
    const { folder } = toolFolder({ "a.txt": "abc" });
    const one = tool({
      async *run() {
        yield* ask.url("Sign in", "https://example.org", { id: "url" });
        return yield* ask.file("Which?", { id: "file" });
      },
    });
    const scene = { input: "yes\na.txt\n", cwd: folder };
    const live = await runTools({ one }, ["one.js", "--record", "answers.json"], scene);
    const replayed = await runTools({ one }, ["one.js", "--answers", "answers.json"], { cwd: folder });

    expect(JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))).toEqual({
      url: "done",
      file: join(folder, "a.txt"),
    });
    expect(replayed.stdout).toBe(live.stdout);
  });

  it("writes for its owner alone", async () => {
    const { folder } = toolFolder({});
    await runTools({ book }, ["book.js", "--record", "answers.json"], { input: "Ada\n3\n", cwd: folder });

    expect(statSync(join(folder, "answers.json")).mode & 0o777).toBe(0o600);
  });

  it("takes a file that was there from everybody else, too", async () => {
    const { folder } = toolFolder({ "answers.json": "{}" });
    chmodSync(join(folder, "answers.json"), 0o644);
    await runTools({ one: texts("a") }, ["one.js", "--answer", "a=x", "--record", "answers.json"], {
      cwd: folder,
    });

    expect(statSync(join(folder, "answers.json")).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))).toEqual({ a: "x" });
  });

  it("writes the answers that were given before the tool failed, and no others", async () => {
    const { folder } = toolFolder({});
    const scene = { input: "Ada\n", cwd: folder };
    const { exitCode } = await runTools({ book }, ["book.js", "--record", "answers.json"], scene);

    expect(exitCode).toBe(1);
    expect(JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))).toEqual({ name: "Ada" });
  });

  it("does not use a recorded yes for a dangerous question", async () => {
    const { folder } = toolFolder({});
    const recording = ["one.js", "--record", "answers.json", "--answer", "gone=yes"];
    await runTools({ danger }, recording, { cwd: folder });
    const replayed = await runTools({ danger }, ["one.js", "--answers", "answers.json"], { cwd: folder });

    expect(replayed).toMatchObject({ stdout: "", exitCode: 1 });
  });

  it.each([
    ["whose folder is not there", "nowhere/answers.json"],
    ["in a folder that cannot be written", "locked/answers.json"],
    ["below a file", "one.txt/answers.json"],
    ["that is a folder", "."],
  ])("refuses a file %s before the tool runs", async (_, path) => {
    const { folder } = toolFolder({ "one.txt": "" });
    mkdirSync(join(folder, "locked"), { mode: 0o500 });
    // Root writes everywhere but there.
    const file = process.getuid?.() === 0 ? path.replace("locked", "/proc") : path;
    const ran: string[] = [];
    const one = tool({
      async *run() {
        ran.push("one");
      },
    });

    expect(await runTools({ one }, ["one.js", "--record", file], { cwd: folder })).toEqual({
      stdout: "",
      stderr: `The answers cannot be written to ${file}.\n`,
      exitCode: 2,
    });
    expect(ran).toEqual([]);
  });

  it("leaves the file as it was where the run does not start", async () => {
    const { folder } = toolFolder({ "old.json": '{"a":"old"}' });
    const missing = ["--answers", "none.json"];
    for (const file of ["old.json", "new.json"])
      await runTools({ one: texts("a") }, ["one.js", "--record", file, ...missing], { cwd: folder });

    expect(readFileSync(join(folder, "old.json"), "utf8")).toBe('{"a":"old"}');
    expect(existsSync(join(folder, "new.json"))).toBe(false);
  });
});
