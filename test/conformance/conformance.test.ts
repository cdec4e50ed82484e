import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTurn } from "../long.ts";
import { verifies } from "../requirements.ts";
import { startExample, type ExampleServer } from "./example-server.ts";
import { documentedIn, excusedIn } from "./figures.ts";
import { folder, inspector, install, root, runOnNode22 } from "./node-22.ts";
import { failuresIn, inWords, runSuite, type Findings } from "./suite.ts";

const INSTALL = 10 * 60_000;
const RUN = 3 * 60_000;
/** The release that knows 2026-07-28, and what it is told to run all that it requires. */
const NEXT = "0.2.0-alpha.12";
const REQUIRED = "server --url … --requirements 2026-07-28";

const page = readFileSync(join(root, "docs/conformance.md"), "utf8");
let home: string;
let server: ExampleServer;

beforeAll(async () => {
  await install();
  home = await mkdtemp(join(tmpdir(), "photon-conformance-"));
  server = await startExample();
}, INSTALL);

afterAll(async () => {
  await server?.stop();
  if (home !== undefined) await rm(home, { recursive: true });
});

describe("the official conformance suite", () => {
  const packages: Readonly<Record<string, string>> = {
    "0.1.16": "@modelcontextprotocol/conformance",
    [NEXT]: "conformance-next",
  };
  const rows = documentedIn(page);
  // The released suite and what 2026-07-28 requires, unless everything is tried.
  const tried = inTurn(rows, 0, 3);
  const excused = excusedIn(page);
  const runs = new Map<string, Promise<Findings>>();

  /** What a run of a suite finds; it is run once, whoever asks. */
  function run(version: string, command: string): Promise<Findings> {
    const key = `${version}: ${command}`;
    const words = command.replace("…", `${server.origin}/mcp`).split(" ");
    const running = runs.get(key) ?? runSuite(packages[version] ?? version, words, home);
    runs.set(key, running);
    return running;
  }

  it.each(tried.map(({ version, command, figures }) => [version, command, figures] as const))(
    verifies("C7", "%s ends with exactly the figures of docs/conformance.md: %s"),
    async (version, command, figures) => {
      const { code, figures: found, checks } = await run(version, command);

      const surprises = checks.filter(
        ({ status, scenario }) =>
          status === "WARNING" || (status === "FAILURE" && !Object.hasOwn(excused, scenario)),
      );
      expect(surprises.map(inWords)).toEqual([]);
      // A suite that scores leaves out of account what fails beside what it requires.
      const isRefused = figures.failed > 0 && figures.unscored === 0;
      expect({ code, figures: found }).toEqual({ code: isRefused ? 1 : 0, figures });
    },
    RUN,
  );

  it.each(tried.filter(({ figures }) => figures.failed > 0).map(({ command }) => command))(
    verifies("C7", "fails in nothing but what the page lists with a reason, all of it extensions: %s"),
    async (command) => {
      const { checks } = await run(NEXT, command);

      expect(failuresIn(checks)).toEqual(excused);
      expect(Object.keys(excused).filter((name) => !/^(tasks|sep-2640-skills)-/.test(name))).toEqual([]);
    },
    RUN,
  );

  it(
    verifies("C7", "has nothing to say against any of the 14 scenarios of questions that end a request"),
    async () => {
      const { checks } = await run(NEXT, REQUIRED);
      const asking = checks.filter(({ scenario }) => scenario.startsWith("input-required-result-"));

      expect(asking.filter(({ status }) => status !== "SUCCESS").map(inWords)).toEqual([]);
      expect(new Set(asking.map(({ scenario }) => scenario)).size).toBe(14);
    },
    RUN,
  );

  it.each([
    ["server-stateless", 30],
    ["http-header-validation", 14],
    ["http-custom-header-server-validation", 10],
  ])(
    verifies("C7", "leaves out no check of %s, and finds nothing"),
    async (name, many) => {
      const { checks } = await run(NEXT, REQUIRED);
      const found = checks.filter(({ scenario }) => scenario === name);

      expect(found.filter(({ status }) => status !== "SUCCESS").map(inWords)).toEqual([]);
      expect(found).toHaveLength(many);
    },
    RUN,
  );

  it(verifies("C7", "runs in the releases and with the commands that the page has to name"), async () => {
    const named = rows.map(({ version, command }) => `${version}: ${command}`);
    const installed = await Promise.all(
      Object.values(packages).map(async (name) => {
        const manifest = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
        // Written by npm.
        return (JSON.parse(manifest) as { readonly version: string }).version;
      }),
    );

    expect(named).toEqual([
      "0.1.16: server --url … --suite active",
      "0.2.0-alpha.12: server --url … --requirements 2025-11-25",
      "0.2.0-alpha.12: server --url … --suite all --spec-version 2025-06-18",
      `${NEXT}: ${REQUIRED}`,
      "0.2.0-alpha.12: server --url … --suite all",
    ]);
    expect(installed).toEqual(Object.keys(packages));
  });
});

describe("the MCP Inspector's command line", () => {
  /** Runs it with these words after `--cli`, and reads the result it prints. */
  async function inspect(words: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await runOnNode22(inspector, ["--cli", ...words], home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  it(
    verifies("C8", "lists the tools over HTTP with SSE"),
    async () => {
      const listed = await inspect([`${server.origin}/sse`, "--method", "tools/list"]);

      expect(listed).toMatchObject({ tools: expect.arrayContaining([named("test_simple_text")]) });
    },
    RUN,
  );

  it(
    verifies("C8", "calls a tool over HTTP with SSE"),
    async () => {
      const called = await inspect([
        `${server.origin}/sse`,
        "--method",
        "tools/call",
        "--tool-name",
        "test_simple_text",
      ]);

      expect(called).toEqual(simpleText);
    },
    RUN,
  );

  it(
    verifies(["C8", "D7"], "does over stdio and Streamable HTTP what docs/conformance.md says, line by line"),
    async () => {
      const lines = [...page.matchAll(/^npx @modelcontextprotocol\/inspector --cli (.*)$/gm)];

      const results: unknown[] = [];
      for (const [, line = ""] of lines) {
        results.push(await inspect(line.replace("http://127.0.0.1:3000", server.origin).split(" ")));
      }

      const list = { tools: expect.arrayContaining([named("test_simple_text")]) };
      expect(results).toMatchObject([list, simpleText, list, simpleText]);
    },
    RUN,
  );
});

describe("the Node of this folder", () => {
  it(
    "is a Node 22, new enough for the Inspector",
    async () => {
      const { stdout } = await promisify(execFile)(join(folder, "node_modules/.bin/node"), ["--version"]);

      expect(stdout).toMatch(/^v22\.(19|[2-9]\d)\./);
    },
    RUN,
  );

  it("is not that of the tests, which run on the Node that started npm", () => {
    // Set by npm for what it runs; without npm, the tests run on whatever started them.
    const { npm_node_execpath: starter = process.execPath } = process.env;

    expect(realpathSync(process.execPath)).toBe(realpathSync(starter));
    expect(process.execPath).not.toContain("node_modules");
  });

  it("is not the one that a plain `node` finds", async () => {
    const { stdout } = await promisify(execFile)("node", ["-p", "process.execPath"], { cwd: root });

    expect(stdout).not.toContain("node_modules");
  });

  it("is not installed at the root, of which this folder is no workspace", async () => {
    const { workspaces } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      readonly workspaces: readonly string[];
    };

    expect(workspaces.filter((workspace) => workspace.startsWith("test"))).toEqual([]);
    expect(existsSync(join(root, "node_modules/node"))).toBe(false);
    expect(existsSync(join(root, "node_modules/.bin/node"))).toBe(false);
  });
});

const simpleText = { content: [{ type: "text", text: "This is a simple text response for testing." }] };

const named = (name: string): unknown => expect.objectContaining({ name });
