import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, stdioTransport } from "./serve/mcp-clients.ts";
import { runInProcess } from "./run-in-process.ts";
import { bin, temporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

/** Compiles the files of a folder as a strict program. */
async function compile(
  { folder }: Pick<TemporaryFolder, "folder">,
  files: readonly string[] = readdirSync(folder).filter((file) => file.endsWith(".ts")),
): Promise<string> {
  const strict = [
    "--strict",
    "--noEmit",
    "--module",
    "nodenext",
    "--target",
    "es2023",
    "--allowImportingTsExtensions",
  ];
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

describe("photon new", { timeout: 60_000 }, () => {
  it("writes a test that runs as it says, also in a folder of this repository", async () => {
    const folder = mkdtempSync(join(root, "tools-of-a-newcomer-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { stderr } = await run(process.execPath, [bin, "new", "greet"], { cwd: folder });
    const [typed = ""] = /npx vitest run \S+/.exec(stderr) ?? [];

    const { stdout } = await run("sh", ["-c", `${typed} --reporter=json`], { cwd: folder });

    expect(JSON.parse(stdout)).toMatchObject({ numTotalTests: 2, numPassedTests: 2 });
  });

  it("writes a tool and its test, and says what to type next", async () => {
    const { photon, folder } = temporaryFolder();

    expect(await photon(["new", "greet"])).toEqual({
      stdout: "greet.photon.ts\ngreet.test.ts\n",
      stderr: [
        "Next:",
        "  photon run greet              try it here",
        "  photon dev greet              serve it, and reload it when it changes",
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
    const place = temporaryFolder();
    const names = ["greet", "send-invoice", "delete", "ask"];
    for (const name of names) await place.photon(["new", name]);

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

  it("says what to install where the files would not find what they import: from this clone, whose packages are not published", async () => {
    // Without a package.json, npm would install into a folder above that has one.
    const { photon, folder, env } = temporaryFolder({ "package.json": "{}" });
    await run("rm", [join(folder, "node_modules")]);
    const { stderr } = await photon(["new", "greet"]);
    const [, typed = ""] = /^Next:\n {2}(npm install .*?) {2}what the two files import\n/.exec(stderr) ?? [];

    expect(typed).toMatch(/ vitest$/);
    // What the registry has is not asked for in a test.
    const offline = { ...env, npm_config_offline: "true", npm_config_cache: join(folder, ".npm") };
    await run("sh", ["-c", typed.replace(/ vitest$/, "")], { cwd: folder, env: offline });
    const { stdout } = await run("sh", ["-c", "npx photon run greet --answer name=Ada --answer loud=no"], {
      cwd: folder,
      env: offline,
    });
    expect(stdout).toBe("Hello, Ada!\n");
    expect(await compile({ folder }, ["greet.photon.ts"])).toBe("");
  });

  it.each(["greet.photon.ts", "greet.test.ts"])("writes over nothing: %s is there already", async (file) => {
    const { photon, folder } = temporaryFolder({ [file]: "mine" });

    expect(await photon(["new", "greet"])).toEqual({
      stdout: "",
      stderr: `${file} is there already; choose another name.\n`,
      exitCode: 2,
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("greet"))).toEqual([file]);
    expect(readFileSync(join(folder, file), "utf8")).toBe("mine");
  });

  it.each([
    [[], "photon new needs a name: photon new greet."],
    [["a", "b"], 'photon new takes one name; "b" is too much.'],
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
