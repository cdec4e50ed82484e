import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { verifies } from "./requirements.ts";

/** Runs a built example in a process of its own, with these lines as its stdin. */
async function runExample(name: string, args: readonly string[], lines: readonly string[]) {
  const main = fileURLToPath(new URL(`../examples/dist/${name}/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { stdio: "pipe" });
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  const code = await new Promise((resolve) => {
    if (child.exitCode === null) child.once("exit", resolve);
    else resolve(child.exitCode);
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

describe("01-hello", () => {
  it(verifies("A1", "says what it is doing on stderr and greets on stdout"), async () => {
    const { code, stdout, stderr } = await runExample("01-hello", ["Ada"], []);

    expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello, Ada!\n" });
    expect(stderr).toContain("Looking for the right words");
  });
});

describe("02-ask", () => {
  it(verifies("A3", "books a room with the answers of a person"), async () => {
    const { code, stdout } = await runExample("02-ask", ["Rome"], ["3", "double", "y"]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ city: "Rome", room: "double", nights: 3 });
  });

  it(verifies("B3", "asks again, and says why, when an answer does not fit"), async () => {
    const { stdout, stderr } = await runExample("02-ask", [], ["40", "3", "single", "y"]);

    expect(stderr).toContain("must be at most 30");
    expect(JSON.parse(stdout)).toMatchObject({ nights: 3 });
  });

  it("books nothing without a yes", async () => {
    const { code, stdout } = await runExample("02-ask", [], ["3", "single", "n"]);

    expect({ code, stdout }).toEqual({ code: 0, stdout: "Nothing booked.\n" });
  });

  it(verifies("B5", "ends with an error that names the question when there is nobody to ask"), async () => {
    const { code, stdout, stderr } = await runExample("02-ask", [], []);

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('The question "How many nights?" (ask-1) was cancelled.');
  });
});
