/** The packages as a stranger gets them: packed, and installed with npm outside of the repository, by the lines that the README prints. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linesOf } from "../../../test/docs/blocks.ts";
import { readPage, root } from "../../../test/docs/pages.ts";
import { RunningCommand } from "./temporary-folder.ts";

const run = promisify(execFile);

const [pack = "", leave = "", create = "", install = "", ...inProject] = linesOf(
  readPage("README.md"),
  "quick-start",
);
const [serve = ""] = linesOf(readPage("README.md"), "quick-start-server");

const outside = realpathSync(mkdtempSync(join(tmpdir(), "photon-install-")));
const project = join(outside, "hello");

/** The shell of a user: what npm and npx add to the path of these tests is not on its own. */
const env: Readonly<Record<string, string>> = {
  PATH: (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.endsWith("node_modules/.bin"))
    .join(delimiter),
  HOME: process.env["HOME"] ?? "",
  XDG_CACHE_HOME: join(outside, ".cache"),
  PHOTON_PORT: "0",
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
};

/** Types a line in a folder, and then the answers to what it asks; returns what it prints on stdout. */
async function type(line: string, cwd: string, answers = ""): Promise<string> {
  const typed = run("sh", ["-ec", line], { cwd, env });
  typed.child.stdin?.end(answers);
  return (await typed).stdout;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

describe("the packages, installed by the lines of the README", { timeout: 60_000 }, () => {
  let created = "";
  beforeAll(async () => {
    // All is installed and built: only the packing is left.
    await run(process.execPath, [join(root, "scripts/pack.mjs")]);
    symlinkSync(root, join(outside, "photon"));
    created = await type(create, outside);
    await type(install, outside);
  }, 120_000);
  afterAll(() => rmSync(outside, { recursive: true, force: true, maxRetries: 3 }));

  it("are packed in the clone, for a project beside it", () => {
    expect([pack, leave]).toEqual(["npm ci && npm run pack", "cd .."]);
    expect(created.trimEnd().split("\n")).toEqual([
      "hello/package.json",
      "hello/tsconfig.json",
      "hello/hello.photon.ts",
      "hello/hello.test.ts",
    ]);
  });

  it.each(["core", "server", "playground", "cli"])("have a README and a license: %s", (name) => {
    const folder = join(project, "node_modules/@photon", name);

    expect(["README.md", "LICENSE"].filter((file) => !existsSync(join(folder, file)))).toEqual([]);
    expect(readJson(join(folder, "package.json"))).toMatchObject({
      repository: { directory: `packages/${name}` },
    });
  });

  it("run the tool, serve it and call it, and print settings for clients", async () => {
    const [runLine = "", call = "", printConfig = "", ...others] = inProject;
    expect(others).toEqual(["npm test"]);
    expect(await type(runLine, project, "Ada\nno\n")).toBe("Hello, Ada!\n");

    // The server itself is ended with the test, not only npx.
    const alone = serve.replace("npx photon", "exec node_modules/.bin/photon");
    const server = new RunningCommand(spawn("sh", ["-c", alone], { cwd: project, env }));
    const address = (await server.url()).replace("http", "ws");
    const called = await type(call.replace("ws://127.0.0.1:3001", address), project, "Ada\nno\n");

    expect(called).toBe("Hello, Ada!\n");
    expect(JSON.parse(await type(printConfig, project))).toHaveProperty("claude-code");
  });

  it("are added to a project that is there, and its tests pass", async () => {
    const added = await linesOf(readPage("README.md"), "existing-project").reduce(
      async (before, line) => (await before, type(line, project)),
      Promise.resolve(""),
    );

    expect(added).toBe("greet.photon.ts\ngreet.test.ts\n");
    const report = await type("npm test --silent -- --reporter=json", project);
    expect(JSON.parse(report)).toMatchObject({ numTotalTests: 4, numPassedTests: 4, success: true });
  });

  it.each(["npm run types", "npx tsc --module preserve --moduleResolution bundler"])(
    "have types that compile: %s",
    async (line) => {
      // tsc ends with another code where there is an error.
      expect(await type(line, project)).not.toContain("error");
    },
  );

  it("create other projects that refer to the same tarballs", async () => {
    await type("hello/node_modules/.bin/photon new other", outside);

    expect(readJson(join(outside, "other/package.json"))).toMatchObject({
      dependencies: (readJson(join(project, "package.json")) as { readonly dependencies: object })
        .dependencies,
    });
  });

  it("are those of the page for beginners, which has the same lines", () => {
    const lines = linesOf(readPage("docs/getting-started.md"), "beside-clone");

    expect(lines.map((line) => line.replaceAll("greet", "hello"))).toEqual([pack, leave, create, install]);
  });
});
