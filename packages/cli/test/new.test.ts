import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, stdioTransport } from "./serve/mcp-clients.ts";
import { runInProcess } from "./run-in-process.ts";
import { bin, temporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

/** Compiles the files of a folder as a strict program. */
async function compile({ folder }: TemporaryFolder): Promise<string> {
  const strict = [
    "--strict",
    "--noEmit",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--allowImportingTsExtensions",
  ];
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  const { stdout } = await run(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), ...strict, "--skipLibCheck", ...files],
    { cwd: folder },
  );
  return stdout;
}

/** Runs the tests of a folder, each on its own. */
async function test({ folder }: TemporaryFolder): Promise<unknown> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const flags = ["run", "--root", folder, "--reporter=json", "--maxWorkers=1"];
  const { stdout } = await run(process.execPath, [vitest, ...flags], { cwd: folder });
  return JSON.parse(stdout) as unknown;
}

/** A project that is there already. */
const existing = { "package.json": "{}" };

/** A folder with a clone in it that is installed and built, and not packed. */
function besideClone(files: Readonly<Record<string, string>> = {}) {
  const place = temporaryFolder(files);
  rmSync(join(place.folder, "node_modules"));
  const cli = join(place.folder, "photon/packages/cli");
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(root, "packages/cli", part), join(cli, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(place.folder, "photon/node_modules"));
  const photon = (...args: readonly string[]) =>
    run(process.execPath, [join(cli, "bin/photon.js"), ...args], { cwd: place.folder, env: place.env });
  return { ...place, photon };
}

interface Manifest {
  readonly version: string;
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

// npm has written or read it.
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

const tarballIn = (folder: string, name: string): string =>
  join(folder, `photon/tarballs/photon-${name}-${readManifest(join(root, "packages/cli")).version}.tgz`);

describe("photon new", { timeout: 60_000 }, () => {
  it("writes a test that runs as it says, also in a folder of this repository", async () => {
    const folder = mkdtempSync(join(root, "tools-of-a-newcomer-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { stderr } = await run(process.execPath, [bin, "new", "greet"], { cwd: folder });
    const [typed = ""] = /npx vitest run \S+/.exec(stderr) ?? [];

    const { stdout } = await run("sh", ["-c", `${typed} --reporter=json`], { cwd: folder });

    expect(JSON.parse(stdout)).toMatchObject({ numTotalTests: 2, numPassedTests: 2 });
  });

  it("adds a tool and its test to a project, and says what to type next", async () => {
    const { photon, folder } = temporaryFolder(existing);

    expect(await photon(["new", "greet"])).toEqual({
      stdout: "greet.photon.ts\ngreet.test.ts\n",
      stderr: [
        "Next:",
        "  npx photon run greet          try it here",
        "  npx photon dev greet          serve it, and reload it when it changes",
        "  npx vitest run greet.test.ts  run its test",
        "",
      ].join("\n"),
      exitCode: 0,
    });
    expect(readFileSync(join(folder, "greet.photon.ts"), "utf8")).toContain(
      "export const greet = tool({\n  description",
    );
  });

  it("writes what compiles, passes, and can be run and served, whatever the name", async () => {
    const place = temporaryFolder(existing);
    const names = ["greet", "send-invoice", "delete", "ask"];
    for (const name of names) await runInProcess(["new", name], { cwd: place.folder });

    expect(await compile(place)).toBe("");
    expect(await test(place)).toMatchObject({ numPassedTests: 8, numTotalTests: 8, success: true });
    for (const name of names) {
      const ran = await place.photon(["run", name, "--answer", "name=Ada", "--answer", "loud=yes"]);
      expect(ran).toMatchObject({ stdout: "HELLO, ADA!\n", exitCode: 0 });
    }
    const guest = await connect(
      stdioTransport(place, ["serve"]),
      (message) => message === "Who is it for?" && "Bob",
    );
    expect(await guest.tools()).toEqual(names.toSorted());
    expect(await guest.call("delete", { greeting: "Welcome" })).toBe("Welcome, Bob!");
  });

  it("creates a project where there is none, and says what to type next", async () => {
    const { photon, folder } = besideClone();
    const { stdout, stderr } = await photon("new", "greet");

    expect(stdout.trimEnd().split("\n")).toEqual([
      "greet/package.json",
      "greet/tsconfig.json",
      "greet/greet.photon.ts",
      "greet/greet.test.ts",
    ]);
    expect(stderr.split("\n").map((line) => line.trim().replace(/ {2,}.*/, ""))).toEqual([
      "Next:",
      "npm --prefix photon run pack",
      "cd greet",
      "npm install",
      "npx photon run greet",
      "npm run dev",
      "npm test",
      "",
    ]);
    expect(readManifest(join(folder, "greet")).type).toBe("module");
  });

  it("refers in a new project to the tarballs of the clone, and to versions that this repository is tested with", async () => {
    const { photon, folder } = besideClone();
    await photon("new", "greet");
    const { dependencies, devDependencies } = readManifest(join(folder, "greet"));
    const own = readManifest(root).devDependencies ?? {};

    const paths = Object.values(dependencies ?? {}).map((from) =>
      resolve(folder, "greet", from.replace("file:", "")),
    );
    expect(paths).toEqual(["cli", "core", "playground", "server"].map((name) => tarballIn(folder, name)));
    expect(Object.keys(devDependencies ?? {})).toEqual(["typescript", "vitest"]);
    for (const [name, range] of Object.entries(devDependencies ?? {}))
      expect(range).toBe(`^${own[name]?.replace("^", "")}`);
  });

  it("says what to install where the files would not find what they import", async () => {
    const { photon, folder } = besideClone(existing);
    const { stderr } = await photon("new", "greet");
    const [packing = "", install = "", vitest = "", runs = ""] = stderr.split("\n").slice(1);

    expect(packing).toContain("npm --prefix photon run pack");
    const [, named = ""] = /^ {2}npm install (file:\S+(?: file:\S+)*)(?: |$)/.exec(install) ?? [];
    expect(named.split(" ").map((from) => resolve(folder, from.replace("file:", "")))).toEqual(
      ["cli", "core", "playground", "server"].map((name) => tarballIn(folder, name)),
    );
    expect(vitest).toContain("npm install --save-dev vitest");
    // It is installed by then.
    expect(runs).toContain("  npx photon run greet ");
  });

  it.each(["greet.photon.ts", "greet.test.ts"])("writes over nothing: %s is there already", async (file) => {
    const { folder } = temporaryFolder({ ...existing, [file]: "mine" });

    expect(await runInProcess(["new", "greet"], { cwd: folder })).toEqual({
      stdout: "",
      stderr: `${file} is there already; choose another name.\n`,
      exitCode: 2,
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("greet"))).toEqual([file]);
    expect(readFileSync(join(folder, file), "utf8")).toBe("mine");
  });

  it("writes into no folder that is there already", async () => {
    const { photon, folder } = temporaryFolder({ "greet/mine.txt": "mine" });

    expect(await photon(["new", "greet"])).toEqual({
      stdout: "",
      stderr: "greet is there already; choose another name.\n",
      exitCode: 2,
    });
    expect(readdirSync(join(folder, "greet"))).toEqual(["mine.txt"]);
  });

  it.each([
    [[], "photon new needs a name: npx photon new greet."],
    [["a", "b"], 'photon new takes one name; remove "b".'],
    ...["../up", "2fast", "ein Name", "näme", "-x-", "a".repeat(65)].map((name) => [
      ["--", name],
      `${JSON.stringify(name)} is no name for a tool: begin with a letter, and use letters, digits, "-" and "_", 64 at most.`,
    ]),
  ] as [string[], string][])("refuses %j with one sentence", async (words, sentence) => {
    const { folder } = temporaryFolder();

    expect(await runInProcess(["new", ...words], { cwd: folder })).toEqual({
      stdout: "",
      stderr: `${sentence}\n`,
      exitCode: 2,
    });
    expect(readdirSync(folder)).toEqual(["node_modules"]);
  });
});
