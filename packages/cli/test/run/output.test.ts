import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ask, emit, tool, type Emit } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { runTools } from "../run-in-process.ts";
import { toolOf, toolFolder } from "./tool-folder.ts";

/** Anything but printable text, tabs and line ends. */
const control = /[^\P{Cc}\t\n]/u;

const textOf = (text: string) => ({ type: "text", text }) as const;

const failing = (message: string) =>
  tool({
    async *run() {
      throw new Error(message);
    },
  });

const emitting = (...effects: readonly Emit[]) =>
  tool({
    async *run() {
      yield* effects;
    },
  });

describe("what photon run prints", () => {
  it.each<[string, unknown, string]>([
    ["a text", "done", "done\n"],
    ["an object", { a: 1 }, '{\n  "a": 1\n}\n'],
    ["a number", 42, "42\n"],
    ["blocks of content", [textOf("one"), textOf("two")], "one\ntwo\n"],
    ["a resource that is text", [{ type: "resource", uri: "x:y", text: "one" }], "one\n"],
    ["nothing", undefined, ""],
  ])(verifies("A8", "is %s, on stdout"), async (_, value, stdout) => {
    const one = tool({
      async *run() {
        return value;
      },
    });

    expect(await runTools({ one }, ["one.js"])).toEqual({ stdout, stderr: "", exitCode: 0 });
  });

  it("is what was streamed, where nothing was returned", async () => {
    const one = emitting(emit.stream("one "), emit.stream("two"));

    expect(await runTools({ one }, ["one.js"])).toEqual({
      stdout: "one two\n",
      stderr: "one two\n",
      exitCode: 0,
    });
  });

  it("is text as it is, where stdout is no terminal", async () => {
    const one = tool({
      async *run() {
        return "\u001B[31mred";
      },
    });

    expect((await runTools({ one }, ["one.js"])).stdout).toBe("\u001B[31mred\n");
  });

  it("is one JSON document with --json, artifacts and all", async () => {
    const one = tool({
      async *run() {
        yield emit.status("Working");
        yield emit.artifact({ type: "image", data: new Uint8Array([1, 2, 3]), mimeType: "image/png" });
        yield emit.artifact({ type: "resource", uri: "x:y", data: "AQID" });
        yield emit.artifact({ type: "link", uri: "https://example.org", name: "Report" });
        return { ref: "\u009B31m" };
      },
    });
    const { stdout } = await runTools({ one }, ["one.js", "--json"]);

    expect(JSON.parse(stdout)).toEqual({
      content: [
        { type: "image", data: "AQID", mimeType: "image/png" },
        { type: "resource", resource: { uri: "x:y", blob: "AQID" } },
        { type: "resource_link", uri: "https://example.org", name: "Report" },
        { type: "text", text: '{"ref":"\u009B31m"}' },
      ],
      structuredContent: { ref: "\u009B31m" },
      isError: false,
    });
    expect(stdout).not.toMatch(control);
  });

  it("is one JSON document with --json where the tool fails, too", async () => {
    const one = failing("No rooms.");

    expect(await runTools({ one }, ["one.js", "--json"])).toEqual({
      stdout: `${JSON.stringify({ content: [textOf("No rooms.")], isError: true }, null, 2)}\n`,
      stderr: "No rooms.\n",
      exitCode: 1,
    });
  });

  it(
    verifies("D5", "is what a tool says is wrong, in one sentence, and where only with --verbose"),
    async () => {
      const one = failing("No rooms.");

      expect(await runTools({ one }, ["one.js"])).toEqual({ stdout: "", stderr: "No rooms.\n", exitCode: 1 });
      expect((await runTools({ one }, ["one.js", "--verbose"])).stderr).toMatch(/^Error: No rooms\.\n +at /);
    },
  );

  it("fails with a result that says it is an error", async () => {
    const one = tool({
      async *run() {
        return { content: [textOf("Sold out.")], isError: true };
      },
    });

    expect(await runTools({ one }, ["one.js"])).toEqual({ stdout: "", stderr: "Sold out.\n", exitCode: 1 });
  });

  it("is plain lines where stderr is no terminal: statuses, progress by tenths, logs from their level on", async () => {
    const percents = Array.from({ length: 101 }, (_, percent) => emit.progress(percent / 100));
    const logs = [emit.log("debug", "detail"), emit.log("warning", { rooms: 0 })];
    const one = emitting(emit.status("Looking"), ...percents, ...logs);
    const tenths = Array.from({ length: 11 }, (_, tenth) => `${tenth * 10}%`);
    const { stderr } = await runTools({ one }, ["one.js"]);

    expect(stderr.split("\n")).toEqual(["Looking", ...tenths, '[warning] {"rooms":0}', ""]);
    expect((await runTools({ one }, ["one.js", "--log-level", "debug"])).stderr).toContain(
      "[debug] detail\n",
    );
    expect((await runTools({ one }, ["one.js", "--log-level=error"])).stderr).not.toContain("[warning]");
  });

  it("has no escape sequences in it, whatever the tool says", async () => {
    const evil = "\u001B]0;title\u0007\u001B[2J\u001B[31mred\u001B[0m\u009B1A\u202E\b";
    const one = tool({
      async *run() {
        yield emit.status(`${evil}status`);
        yield emit.log("error", `${evil}log`);
        yield emit.progress(0.5, `${evil}progress`);
        yield emit.stream(`${evil}stream`);
        yield emit.artifact({ type: "text", text: `${evil}artifact` });
        yield* ask.select(`${evil}Which?`, [{ value: evil, title: `${evil}title` }], { description: evil });
        throw new Error(`${evil}error`);
      },
    });
    const { stderr } = await runTools({ one }, ["one.js"], { input: `${evil}title\n` });

    for (const word of ["status", "log", "progress", "stream", "artifact", "Which?", "error"])
      expect(stderr).toContain(`red${word}`);
    expect(stderr).not.toMatch(control);
    expect(stderr).not.toContain("\u202E");
  });

  it("saves what the tool makes into the folder of --out, and overwrites nothing", async () => {
    const { folder } = toolFolder({});
    const one = tool({
      async *run() {
        yield emit.artifact({ type: "image", data: "AQID", mimeType: "image/png" });
        yield emit.artifact({ type: "resource", uri: "file:///etc/../notes/a%20b.md", text: "hello" });
        yield emit.artifact({ type: "resource", uri: "x:..%2F..%2F.evil", text: "x" });
        return [{ type: "audio", data: "AQID", mimeType: "audio/wav" }];
      },
    });
    const { stderr } = await runTools({ one }, ["one.js", "--out", "made"], { cwd: folder });
    await runTools({ one }, ["one.js", "--out", "made"], { cwd: folder });

    expect(stderr).toContain(`Saved ${join(folder, "made", "artifact-1.png")} (image/png, 3 bytes)`);
    expect(readdirSync(join(folder, "made")).toSorted()).toEqual([
      "a b-2.md",
      "a b.md",
      "artifact-1-2.png",
      "artifact-1.png",
      "artifact-4-2.wav",
      "artifact-4.wav",
      "evil",
      "evil-2",
    ]);
    expect(readFileSync(join(folder, "made", "a b.md"), "utf8")).toBe("hello");
  });

  it("shows the text of what the tool makes, and of the rest its type and size", async () => {
    const one = emitting(
      emit.artifact({ type: "text", text: "one\ntwo" }),
      emit.artifact({ type: "image", data: new Uint8Array(1500), mimeType: "image/png" }),
      emit.artifact({ type: "link", uri: "https://example.org/a", name: "The report" }),
    );
    const { stderr } = await runTools({ one }, ["one.js"]);

    expect(stderr).toBe(
      "one\ntwo\nimage/png, 1.5 kB (--out folder saves it)\nThe report: https://example.org/a\n",
    );
  });

  it("continues when an artifact cannot be saved, and says so", async () => {
    const { folder } = toolFolder({ taken: "" });
    const one = emitting(emit.artifact({ type: "text", text: "x" }), emit.status("Going on"));
    const { stderr } = await runTools({ one }, ["one.js", "--out", "taken"], { cwd: folder });

    expect(stderr).toMatch(/EEXIST[^]*Going on/);
  });

  it("is on stdout alone: what a tool logs there goes to stderr", async () => {
    const source = toolOf('console.log("loud"); process.stdout.write("louder\\n"); return { a: 1 };');
    const { stdout, stderr } = await toolFolder({ "one.js": `console.log("loading");\n${source}` }).run([
      "one.js",
      "--json",
    ]);

    expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { a: 1 } });
    expect(stderr).toBe("loading\nloud\nlouder\n");
  });

  it("exits without an error when the reader closes the pipe", async () => {
    const source = toolOf('yield* ask.text("Go?"); return "x".repeat(1_000_000);');
    const child = toolFolder({ "one.js": source }).start(["one.js"]);
    const complaints: string[] = [];
    child.stderr.on("data", (text: Buffer) => complaints.push(text.toString()));
    await once(child.stderr, "data");
    child.stdout.destroy();
    child.stdin.end("yes\n");
    const [exitCode] = await once(child, "close");

    expect(exitCode).toBe(0);
    expect(complaints.join("")).toBe("?  Go?\n   yes\n");
  });

  it("gives all of a long result to a slow reader", async () => {
    const child = toolFolder({ "one.js": toolOf('return "x".repeat(5_000_000);') }).start(["one.js"]);
    let length = 0;
    for await (const chunk of child.stdout) length += (chunk as Buffer).length;

    expect(length).toBe(5_000_001);
  });

  it("exits although the tool has left a timer running", async () => {
    const source = toolOf('setInterval(() => {}, 1000); return "done";');

    expect(await toolFolder({ "one.js": source }).run(["one.js"])).toMatchObject({
      stdout: "done\n",
      exitCode: 0,
    });
  });

  it("ends although the tool awaits a promise that nothing can settle, and runs its finally blocks", async () => {
    const source = toolOf(
      `const never = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      try { yield* step("never", never); } finally { yield emit.status("Cleaned up"); }`,
    );
    const { stderr, exitCode } = await toolFolder({ "one.js": source }).run(["one.js"]);

    expect(stderr).toBe(
      "Cleaned up\nThe tool never ended: it awaits a promise, and nothing is left that could settle it.\n",
    );
    expect(exitCode).toBe(1);
  });
});

it("an effect that a tool makes after an await and does not yield is told with its place", async () => {
  const { folder, run } = toolFolder({
    "it.ts": `import { ask, tool } from "@photon/core";
interface Unused { readonly one: number }
export const it = tool({ async *run() {
  await Promise.resolve();
  const sure = ask.confirm("Delete?");
  return sure.message;
} });
`,
  });

  const { stderr, exitCode } = await run(["it.ts"]);

  expect(stderr).toContain(`${folder}/it.ts:5:20`);
  expect(stderr).toContain("yield* ask.confirm(…)");
  expect(exitCode).toBe(1);
});

describe("what a tool throws", () => {
  it.each([
    ["an object", { code: 1 }, "{ code: 1 }\n"],
    ["a text", "no rooms", "no rooms\n"],
    [
      "an error with its causes",
      new Error("no rooms", { cause: new Error("no hotel", { cause: { status: 503 } }) }),
      "no rooms\nCaused by: no hotel\nCaused by: { status: 503 }\n",
    ],
  ])("is shown by photon run: %s", async (_, thrown, stderr) => {
    const one = tool({
      async *run() {
        // oxlint-disable-next-line typescript/only-throw-error -- A tool may throw anything.
        throw thrown;
      },
    });

    expect(await runTools({ one }, ["one.js"])).toEqual({ stdout: "", stderr, exitCode: 1 });
  });

  it("is shown with the stacks of its causes with --verbose", async () => {
    const one = tool({
      async *run() {
        throw new Error("no rooms", { cause: new TypeError("no hotel") });
      },
    });
    const { stderr } = await runTools({ one }, ["one.js", "--verbose"]);

    expect(stderr).toMatch(/^Error: no rooms\n +at [^]*\nCaused by: TypeError: no hotel\n +at /);
  });
});
