import { once } from "node:events";
import { basename, join } from "node:path";
import { ask, emit, roots, sample, tool, UrlRequired, type Ask, type Body } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { runTools } from "../run-in-process.ts";
import { toolOf, toolFolder } from "./tool-folder.ts";

const book = tool({
  async *run() {
    const name = yield* ask.text("Who are you?", { id: "name" });
    const bounds = { min: 1, max: 30, integer: true };
    const nights = yield* ask.number("How many nights?", { id: "nights", ...bounds, retries: 1 });
    const sure = yield* ask.confirm("Book it?", { id: "sure" });
    return { name, nights, sure };
  },
});

/** A tool that asks one thing and returns the answer. */
const asking = (question: Ask) =>
  tool({
    async *run(): Body<unknown> {
      return { answer: (yield question) as unknown };
    },
  });

describe("photon run without a terminal", () => {
  const source = toolOf(
    `return [yield* ask.text("Who are you?", { id: "name" }), yield* ask.number("Nights?"), yield* ask.confirm("Sure?")];`,
  );

  it(verifies("D2", "answers three asks with three lines of stdin"), async () => {
    const { stdout, exitCode } = await toolFolder({ "book.js": source }).run(["book.js"], {
      input: "Ada\n3\ny\n",
    });

    expect(JSON.parse(stdout)).toEqual(["Ada", 3, true]);
    expect(exitCode).toBe(0);
  });

  it(
    verifies(["D2", "B5"], "ends at once, and says which answer was needed and how to give it"),
    async () => {
      const { stdout, stderr, exitCode } = await toolFolder({ "book.js": source }).run(["book.js"]);

      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
      expect(stderr).toBe(
        [
          "?  Who are you?",
          'An answer is needed to "Who are you?" (name). Give it as --answer name=…, in a file for --answers, or as a line of stdin.',
          'The question "Who are you?" (name) was cancelled.',
          "",
        ].join("\n"),
      );
    },
  );

  it("shows the question before it waits for a line, and does not wait for the end of stdin", async () => {
    const child = toolFolder({ "one.js": toolOf('return yield* ask.text("Name?");') }).start(["one.js"]);
    await once(child.stderr, "data");
    child.stdin.write("Ada\n");
    const [exitCode] = await once(child, "exit");

    expect(exitCode).toBe(0);
  });

  it("ends with the timeout of the question when stdin stays open and silent", async () => {
    const one = toolOf('return yield* ask.text("Name?", { id: "name" });');
    const child = toolFolder({ "one.js": one }).start(["one.js", "--ask-timeout", "200ms"]);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [exitCode] = await once(child, "close");

    expect(exitCode).toBe(1);
    expect(stderr).toBe('?  Name?\nNo answer to "Name?" (name) arrived in time.\n');
  });

  it(verifies(["D2", "B3"], "asks again for a line that does not fit, while there are retries"), async () => {
    const { stdout, stderr } = await runTools({ book }, ["book.js"], { input: "Ada\nmany\n3\nno\n" });

    expect(JSON.parse(stdout)).toEqual({ name: "Ada", nights: 3, sure: false });
    expect(stderr).toContain("The last answer must be a whole number. This is the last attempt.");
  });

  it(verifies(["D2", "B3"], "fails with a line that does not fit once the retries are used up"), async () => {
    const { stderr, exitCode } = await runTools({ book }, ["book.js"], { input: "Ada\n0\n31\ny\n" });

    expect(stderr).toContain('The answer to "How many nights?" (nights) must be at most 30.');
    expect(exitCode).toBe(1);
  });

  it("cancels the question at which the lines end", async () => {
    const { stderr, exitCode } = await runTools({ book }, ["book.js"], { input: "Ada\n" });

    expect(stderr).toContain('An answer is needed to "How many nights?" (nights): a whole number, 1 to 30.');
    expect(stderr).toContain('The question "How many nights?" (nights) was cancelled.');
    expect(exitCode).toBe(1);
  });

  it("takes a last line that has no end, and lines as Windows ends them", async () => {
    const { stdout } = await runTools({ book }, ["book.js"], { input: "Ada\r\n3\r\ny" });

    expect(JSON.parse(stdout)).toEqual({ name: "Ada", nights: 3, sure: true });
  });

  it("lets a tool go on that can do without the answer", async () => {
    const one = asking(ask.text("Name?", { fallback: { cancel: "no answer" } }));

    expect(JSON.parse((await runTools({ one }, ["one.js"])).stdout)).toEqual({ answer: "no answer" });
  });

  it("takes no default for an answer", async () => {
    const one = asking(ask.text("Name?", { default: "Ada" }));

    expect(await runTools({ one }, ["one.js"])).toMatchObject({ stdout: "", exitCode: 1 });
  });

  const fruit = { a: "Apple", b: "Pear", "c,d": "Plum" };
  it.each<[string, Ask, string, unknown]>([
    ["a text", ask.text("Q?"), " as it is ", " as it is "],
    ["a number", ask.number("Q?"), " -1.5e3", -1500],
    ["stars", ask.rating("Q?"), " 4 ", 4],
    ["yes", ask.confirm("Q?"), "YES", true],
    ["no", ask.confirm("Q?"), "n", false],
    ["a choice by its value", ask.select("Q?", fruit), "b", "b"],
    ["a choice by its title", ask.select("Q?", fruit), "apple", "a"],
    ["several choices", ask.multiselect("Q?", fruit), "a, pear", ["a", "b"]],
    ["several choices as JSON", ask.multiselect("Q?", fruit), '["a","c,d"]', ["a", "c,d"]],
    ["a choice with a comma in it", ask.multiselect("Q?", fruit), "c,d", ["c,d"]],
    ["no choice", ask.multiselect("Q?", fruit), "", []],
    ["a day", ask.date("Q?"), "2026-07-28", "2026-07-28"],
    ["a moment", ask.date("Q?", { time: true }), "2026-07-28T12:00:00+02:00", "2026-07-28T12:00:00+02:00"],
    ["a form", ask.form("Q?", { name: ask.text("Name") }), '{"name":"Ada"}', { name: "Ada" }],
  ])("reads a line as %s", async (_, question, line, answer) => {
    const { stdout } = await runTools({ one: asking(question) }, ["one.js"], { input: `${line}\n` });

    expect(JSON.parse(stdout)).toEqual({ answer });
  });

  it.each<[string, Ask, string, string]>([
    ["no number", ask.number("Q?"), "1,5", "must be a number"],
    ["neither yes nor no", ask.confirm("Q?"), "maybe", "must be yes or no"],
    ["none of the choices", ask.select("Q?", fruit), "Cherry", "must be one of a, b, c,d"],
    ["no such day", ask.date("Q?"), "2026-02-30", "must be a day that exists: there is no 2026-02-30"],
    [
      "no form",
      ask.form("Q?", { name: ask.text("Name") }),
      "Ada",
      'has a mistake: it must be JSON with these fields: {"name":…}',
    ],
  ])("does not take a line that is %s", async (_, question, line, problem) => {
    const { stderr, exitCode } = await runTools({ one: asking(question) }, ["one.js"], {
      input: `${line}\n`,
    });

    expect(stderr).toContain(`The answer to "Q?" (ask-1) ${problem}`);
    expect(exitCode).toBe(1);
  });

  it("shows the fields of a form, and how they are given", async () => {
    const receipt = ask.form(
      "Who gets it?",
      {
        email: ask.text("Email", { format: "email" }),
        name: ask.text("Name"),
        copies: ask.optional(ask.number("Copies", { integer: true, min: 1 })),
        size: ask.select("Size", { a4: "A4", letter: "Letter" }),
      },
      { id: "contact" },
    );
    const { stderr } = await runTools({ one: asking(receipt) }, ["one.js"]);
    const wanted =
      'JSON on one line, {"email":…,"name":…,"copies":…,"size":…}; email: an email address; ' +
      "copies: a whole number, at least 1, may be left empty; size: one of a4, letter";

    expect(stderr).toContain(`?  Who gets it? (${wanted})\n`);
    expect(stderr).toContain(`An answer is needed to "Who gets it?" (contact): ${wanted}. Give it as`);
  });

  it("gives a file by its path, and says why it does not take one", async () => {
    const { folder } = toolFolder({ "a.txt": "abc", "big.txt": "abcdef", "a.md": "abc" });
    const one = asking(ask.file("Which file?", { accept: [".txt"], maxBytes: 4, retries: 4 }));
    const input = "none.txt\n.\nbig.txt\na.md\na.txt\n";
    const { stdout, stderr } = await runTools({ one }, ["one.js"], { input, cwd: folder });

    expect(JSON.parse(stdout)).toEqual({
      answer: { name: "a.txt", type: "text/plain", path: join(folder, "a.txt") },
    });
    for (const problem of [
      "There is no file none.txt.",
      ". is not a file.",
      "big.txt has 6 bytes; the limit is 4 bytes.",
      "Must be of type .txt.",
    ])
      expect(stderr).toContain(problem);
  });

  it(
    verifies("B6", "never shows a secret that was piped in, nor suggests to put one on the command line"),
    async () => {
      const one = tool({
        async *run() {
          return (yield* ask.secret("Token?", { id: "token" })).reveal().length;
        },
      });
      const given = await runTools({ one }, ["one.js"], { input: "hunter2222\n" });
      const missing = await runTools({ one }, ["one.js"]);

      expect(given.stdout).toBe("10\n");
      expect(given.stderr).not.toContain("hunter2222");
      expect(missing.stderr).toContain('An answer is needed to "Token?" (token)');
      expect(missing.stderr).not.toContain("--answer token");
    },
  );

  it("shows the whole address of a url, and takes yes as done, no as declined", async () => {
    const one = tool({
      async *run() {
        return (yield* ask.outcome(ask.url("Sign in", "https://example.org/in"))).action;
      },
    });
    const done = await runTools({ one }, ["one.js"], { input: "yes\n" });

    expect(done.stderr).toContain("?  Sign in (https://example.org/in)\n");
    expect(done.stdout).toBe("accept\n");
    expect((await runTools({ one }, ["one.js"], { input: "no\n" })).stdout).toBe("decline\n");
  });

  it("does not let a pipe that says yes to everything confirm what is dangerous", async () => {
    const one = asking(ask.confirm("Delete it?", { id: "gone", dangerous: true }));
    const piped = await runTools({ one }, ["one.js"], { input: "y\n" });

    expect(piped).toMatchObject({ stdout: "", exitCode: 1 });
    expect(piped.stderr).toContain("It is dangerous: run it in a terminal, or add --answer gone=yes.");
    expect((await runTools({ one }, ["one.js"], { input: "n\n" })).exitCode).toBe(0);
    expect((await runTools({ one }, ["one.js", "--answer", "gone=yes"])).exitCode).toBe(0);
  });

  it(verifies("A6", "asks the questions of ask.all one after another"), async () => {
    const one = tool({
      async *run() {
        return yield* ask.all({ a: ask.text("A?"), b: ask.number("B?") });
      },
    });
    const { stdout } = await runTools({ one }, ["one.js"], { input: "x\n2\n" });

    expect(JSON.parse(stdout)).toEqual({ a: "x", b: 2 });
  });

  it(verifies(["A10", "A11"], "has no model to sample, and the current folder as its root"), async () => {
    const one = tool({
      async *run(_, { client }) {
        const { action } = yield* ask.outcome(sample("Hello"));
        return { action, can: client.can, roots: yield* roots() };
      },
    });
    const { folder } = toolFolder({});
    const { stdout } = await runTools({ one }, ["one.js"], { cwd: folder });

    expect(JSON.parse(stdout)).toEqual({
      action: "unsupported",
      can: { form: true, url: true, sample: false, roots: true },
      roots: [{ uri: `file://${folder}`, name: basename(folder) }],
    });
  });

  it("asks for the visit that a tool demands, and begins it again", async () => {
    let runs = 0;
    const one = tool({
      async *run(): Body<string> {
        runs += 1;
        yield emit.status(`Run ${runs}`);
        if (runs < 3) throw new UrlRequired([{ message: "Sign in", url: "https://example.org/in" }]);
        return "Signed in.";
      },
    });
    const twice = await runTools({ one }, ["one.js"], { input: "yes\nyes\n" });
    expect(twice).toMatchObject({ stdout: "Signed in.\n", exitCode: 0 });
    expect(twice.stderr).toMatch(/^Run 1\n[^]*Sign in[^]*https:\/\/example\.org\/in[^]*Run 2\n[^]*Run 3\n/);

    runs = 0;
    const answered = await runTools({ one }, ["one.js", "--answer", "url-1=yes"]);
    expect({ runs, ...answered }).toMatchObject({ runs: 2, stdout: "", exitCode: 1 });
    runs = 0;
    expect(await runTools({ one }, ["one.js"], { input: "no\n" })).toMatchObject({ exitCode: 1 });
    expect(runs).toBe(1);
  });

  it("keeps its lines for what is asked of a person", async () => {
    const one = tool({
      async *run() {
        const { action } = yield* ask.outcome(sample("Hello"));
        return { action, roots: (yield* roots()).length, name: yield* ask.text("Who are you?") };
      },
    });
    const { stdout } = await runTools({ one }, ["one.js"], { input: "Ada\n" });

    expect(JSON.parse(stdout)).toEqual({ action: "unsupported", roots: 1, name: "Ada" });
  });
});
