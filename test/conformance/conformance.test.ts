import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { main, startExample, type ExampleServer } from "./example-server.ts";
import { documentedIn } from "./figures.ts";
import { folder, install, root, runOnNode22 } from "./node-22.ts";
import { runSuite } from "./suite.ts";

const INSTALL = 10 * 60_000;
const RUN = 3 * 60_000;

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
    "0.2.0-alpha.12": "conformance-next",
  };

  it.each(documentedIn(page).map(({ version, command, figures }) => [version, command, figures] as const))(
    verifies("C7", "%s ends with exactly the figures of docs/conformance.md: %s"),
    async (version, command, figures) => {
      const words = command.replace("…", `${server.origin}/mcp`).split(" ");
      const findings = await runSuite(packages[version] ?? version, words, home);

      expect(findings).toEqual({ code: 0, figures, failures: [], warnings: [] });
    },
    RUN,
  );

  it(verifies("C7", "runs in the releases and with the commands that the page has to name"), async () => {
    const runs = documentedIn(page).map(({ version, command }) => `${version}: ${command}`);
    const installed = await Promise.all(
      Object.values(packages).map(async (name) => {
        const manifest = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
        // Written by npm.
        return (JSON.parse(manifest) as { readonly version: string }).version;
      }),
    );

    expect(runs).toEqual([
      "0.1.16: server --url … --suite active",
      "0.2.0-alpha.12: server --url … --requirements 2025-11-25",
      "0.2.0-alpha.12: server --url … --suite all --spec-version 2025-06-18",
    ]);
    expect(installed).toEqual(Object.keys(packages));
  });
});

describe("the MCP Inspector's command line", () => {
  const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
  const ways = {
    stdio: () => ["node", main, "--stdio"],
    "Streamable HTTP": () => [`${server.origin}/mcp`],
    "HTTP with SSE": () => [`${server.origin}/sse`],
  };

  /** Runs it with these words after `--cli`, and reads the result it prints. */
  async function inspect(words: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await runOnNode22(inspector, ["--cli", ...words], home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  it.each(Object.entries(ways))(
    verifies("C8", "lists the tools over %s"),
    async (_, target) => {
      const listed = await inspect([...target(), "--method", "tools/list"]);

      expect(listed).toMatchObject({ tools: expect.arrayContaining([named("test_simple_text")]) });
    },
    RUN,
  );

  it.each(Object.entries(ways))(
    verifies("C8", "calls a tool over %s"),
    async (_, target) => {
      const called = await inspect([
        ...target(),
        "--method",
        "tools/call",
        "--tool-name",
        "test_simple_text",
      ]);

      expect(called).toEqual({
        content: [{ type: "text", text: "This is a simple text response for testing." }],
      });
    },
    RUN,
  );

  it(
    verifies("D7", "does what docs/conformance.md says, line by line"),
    async () => {
      const lines = [...page.matchAll(/^npx @modelcontextprotocol\/inspector --cli (.*)$/gm)];

      const results: unknown[] = [];
      for (const [, line = ""] of lines) {
        results.push(await inspect(line.replace("http://127.0.0.1:3000", server.origin).split(" ")));
      }

      const list = { tools: expect.any(Array) };
      const answer = { content: [{ type: "text" }] };
      expect(results).toMatchObject([list, answer, list, answer]);
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

const named = (name: string): unknown => expect.objectContaining({ name });
