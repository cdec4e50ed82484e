import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess } from "../run-in-process.ts";
import { RunningCommand } from "../temporary-folder.ts";
import { freePort } from "./servers.ts";

// The package has no entry to be imported by; beside its manifest is the command.
const require = createRequire(import.meta.url);
const manifest = require.resolve("@modelcontextprotocol/server-everything/package.json");
const everything = join(dirname(manifest), "dist/index.js");

const stdio = ["--", process.execPath, everything];

/** Starts it on a port that was free just now: it takes no other kind. */
async function listening(transport: "sse" | "streamableHttp"): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, transport], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new RunningCommand(child).until(/port/i);
  return `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`;
}

const lines = [
  { transport: "stdio", address: async () => [[], stdio] as const },
  { transport: "HTTP+SSE", address: async () => [[await listening("sse")], []] as const },
  { transport: "Streamable HTTP", address: async () => [[await listening("streamableHttp")], []] as const },
];

describe.each(lines)(
  "photon call with server-everything over $transport",
  { timeout: 30_000 },
  ({ address }) => {
    it(verifies("C11", "answers the form it asks by elicitation"), async () => {
      const [before, last] = await address();
      const answer =
        'ask-1={"name":"Ada","email":"ada@example.com","integer":7,"titledMultipleSelectEnum":["fish-2"]}';
      const { stdout, exitCode } = await callInProcess([
        ...before,
        "trigger-elicitation-request",
        "--answer",
        answer,
        ...last,
      ]);

      expect(stdout).toContain("- Name: Ada\n- Email: ada@example.com\n- Favorite Integer: 7\n");
      expect(exitCode).toBe(0);
    });

    it("shows its progress, and lists what it has", async () => {
      const [before, last] = await address();
      const long = ["trigger-long-running-operation", "--duration", "0.4", "--steps", "4"];
      const { stdout, stderr } = await callInProcess([...before, ...long, ...last]);
      const listed = await callInProcess([...before, "--list", "--json", ...last]);

      expect(stderr).toMatch(/25%\n50%\n75%\n/);
      expect(stdout).toBe("Long running operation completed. Duration: 0.4 seconds, Steps: 4.\n");
      expect(JSON.parse(listed.stdout)).toMatchObject({
        revision: "2025-11-25",
        tools: expect.arrayContaining([expect.objectContaining({ name: "get-sum" })]),
        resourceTemplates: expect.arrayContaining([
          expect.objectContaining({ uriTemplate: "demo://resource/dynamic/text/{resourceId}" }),
        ]),
      });
    });
  },
);

describe("photon call with server-everything", { timeout: 30_000 }, () => {
  it("visits the web address that a tool demands by an error, and calls it again", async () => {
    const demand = ["trigger-url-elicitation", "--url", "https://example.com/", "--error-path"];
    const { stdout, stderr } = await callInProcess([...demand, "--answer", "ask-1=done", ...stdio]);

    expect(stderr).toContain("(https://example.com/)");
    expect(stdout).not.toBe("");
  });

  it("refuses input that does not fit its schema before it is called", async () => {
    const { stderr, exitCode } = await callInProcess(["get-sum", "--a", "two", "--b", "3", ...stdio]);

    expect(stderr).toContain("Invalid input for get-sum: a must be a number.");
    expect(exitCode).toBe(2);
  });

  it("shows structured results, and an image", async () => {
    const weather = await callInProcess(["get-structured-content", "--location", "Chicago", ...stdio]);
    const image = await callInProcess(["get-tiny-image", ...stdio]);

    expect(JSON.parse(weather.stdout)).toEqual({
      temperature: expect.any(Number),
      conditions: expect.any(String),
      humidity: expect.any(Number),
    });
    expect(image.stderr).toMatch(/image\/png, [\d.]+ \w+ \(--out folder saves it\)/);
  });
});
