import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import { requirements, verifies, type Row } from "./requirements.ts";

const script = fileURLToPath(new URL("../scripts/list-uncited-requirements.mjs", import.meta.url));
const manifest =
  'export const requirements = {\n  A1: "one",\n  A2: "two",\n  B1:\n    "three",\n  E1: "four",\n} as const;\n';

describe("requirements", () => {
  it("has a sentence for every row", () => {
    expect(Object.values(requirements).filter((text) => !/^\S.*\.$/.test(text))).toEqual([]);
  });
});

describe("verifies", () => {
  // Not written into the calls: this test is about titles, and verifies no row.
  const one: Row = "A3";
  const another: Row = "B1";

  it("puts the row behind the title", () => {
    expect(verifies(one, "asks for a number")).toBe(`asks for a number [${one}]`);
  });

  it("puts several rows behind the title", () => {
    expect(verifies([one, another], "asks for a number")).toBe(`asks for a number [${one}, ${another}]`);
  });

  it("does not compile with a row that does not exist", () => {
    expectTypeOf<"A13">().toExtend<Row>();
    expectTypeOf<"Z9">().not.toExtend<Row>();
  });
});

describe("npm run requirements", () => {
  const folder = mkdtempSync(join(tmpdir(), "photon-requirements-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the script over a project that has these files besides its manifest. */
  function rows(files: Record<string, string>): { stdout: string; stderr: string; exitCode: number | null } {
    for (const [path, text] of Object.entries({ "test/requirements.ts": manifest, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
    return { stdout, stderr, exitCode: status };
  }

  const call = (ids: string): string => `it(verifies(${ids}, "works"), () => {});`;
  const title = (ids: string): string => `it("works [${ids}]", () => {});`;

  it("lists every row of a project without tests", () => {
    expect(rows({}).stdout).toBe("0 of 4 rows are cited by a test.\nNo test cites A1, A2, B1, E1.\n");
  });

  it("fails when no test cites a row, and names it", () => {
    const { stderr, exitCode } = rows({ "test/some.test.ts": call('["A1", "B1", "E1"]') });

    expect(stderr).toBe("No test cites A2, which needs one.\n");
    expect(exitCode).toBe(1);
  });

  it("only lists a row of E, of which not all is built", () => {
    const { stdout, stderr, exitCode } = rows({ "test/some.test.ts": call('["A1", "A2", "B1"]') });

    expect(stdout).toBe("3 of 4 rows are cited by a test.\nNo test cites E1.\n");
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  it.each([
    ["one row by a call", call('"A2"')],
    ["one row by its title", title("A2")],
    [
      "one row in a title with a section of the design",
      title("A2").replace("works", "works as in §2.3 [§2.3]"),
    ],
  ])("leaves out a row cited: %s", (_, text) => {
    const { stdout } = rows({ "packages/core/test/deep/some.test.ts": text });

    expect(stdout).toContain("No test cites A1, B1, E1.");
  });

  it.each([
    ["by a call", call('["A1", "A2", "B1", "E1"]')],
    ["by a call over several lines", call('\n  [\n    "A1",\n    "A2",\n    "B1",\n    "E1",\n  ]')],
    ["by a title", title("A1, A2, B1, E1")],
  ])("takes several rows cited at once: %s", (_, text) => {
    expect(rows({ "test/some.test.ts": text })).toEqual({
      stdout: "4 of 4 rows are cited by a test.\n",
      stderr: "",
      exitCode: 0,
    });
  });

  it("does not take an index for a citation", () => {
    expect(rows({ "test/some.test.ts": "expect(table[A1]).toBe(1);" }).stdout).toContain("0 of 4");
  });

  it.each([
    ["by a call", call('["A1", "B2"]')],
    ["by a title", title("B2")],
  ])("fails when a row is cited that does not exist, naming file and row: %s", (_, text) => {
    const { stderr, exitCode } = rows({ "test/some.test.ts": text });

    expect(stderr).toContain(`${join("test", "some.test.ts")} cites B2, which is not a row`);
    expect(exitCode).toBe(1);
  });
});
