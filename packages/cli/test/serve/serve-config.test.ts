import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { bin, temporaryFolder } from "../temporary-folder.ts";
import { greeter } from "../tool-sources.ts";
import { connect } from "./mcp-clients.ts";

interface Server {
  readonly command: string;
  readonly args: string[];
}

describe("photon serve --print-config", { timeout: 20_000 }, () => {
  it("prints for each client what goes into its file", async () => {
    const { folder, photon } = temporaryFolder({ "web.photon.ts": greeter });
    const { stdout, stderr, exitCode } = await photon(["serve", "web", "--name=hotel", "--print-config"]);
    const args = [bin, "serve", `${folder}/web.photon.ts`, "--name=hotel"];
    const server = { command: process.execPath, args };

    expect(JSON.parse(stdout)).toEqual({
      "claude-desktop": { mcpServers: { hotel: server } },
      "claude-code": { mcpServers: { hotel: { type: "stdio", ...server } } },
      cursor: { mcpServers: { hotel: server } },
      vscode: { servers: { hotel: { type: "stdio", ...server } } },
    });
    expect(stderr).toContain("claude-code: .mcp.json\n");
    expect(exitCode).toBe(0);
  });

  it("prints a command that works from any folder, with the flags that were given", async () => {
    const place = temporaryFolder({ "tools/web.ts": greeter, "elsewhere/empty.txt": "" });
    const flags = ["--ask-timeout=50ms", "--limit=batch=5", "--limit=events=7", "--verbose"];
    const listening = [
      "-t",
      "stdio,http",
      "--allow-host=a,b",
      "--allow-origin=https://a.example",
      "--idle=5m",
    ];
    const { stdout } = await place.photon(["serve", "web", ...listening, ...flags, "--print-config"]);
    const { "claude-code": claude } = JSON.parse(stdout) as {
      "claude-code": { mcpServers: { photon: Server } };
    };
    const { command, args } = claude.mcpServers.photon;

    const transport = new StdioClientTransport({
      command,
      args,
      cwd: join(place.folder, "elsewhere"),
      env: { ...place.env },
      stderr: "ignore",
    });
    const guest = await connect(transport, () => new Promise(() => {}));

    expect(args.slice(2)).toEqual([`${place.folder}/tools/web.ts`, ...flags]);
    expect(await guest.call("greet")).toContain("in time");
  });

  it.each([
    ["http", { type: "http", url: "http://127.0.0.1:4000/mcp" }],
    ["sse", { type: "sse", url: "http://127.0.0.1:4000/sse" }],
  ])(
    "prints the address of a server that listens over %s, for clients that call one",
    async (transport, server) => {
      const { photon } = temporaryFolder({ "web.photon.ts": greeter });
      const { stdout } = await photon(["serve", `-t${transport}`, "--port=4000", "--print-config"]);

      expect(JSON.parse(stdout)).toEqual({
        "claude-code": { mcpServers: { photon: server } },
        cursor: { mcpServers: { photon: { url: server.url } } },
        vscode: { servers: { photon: server } },
      });
    },
  );

  it("says that common clients call no WebSocket, and finds out that a tool is not there", async () => {
    const { photon } = temporaryFolder({ "web.photon.ts": greeter });

    expect(await photon(["serve", "-t", "websocket", "--print-config"])).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^The common clients do not support WebSocket; /),
      exitCode: 2,
    });
    expect(await photon(["serve", "nowhere", "--print-config"])).toMatchObject({ stdout: "", exitCode: 2 });
  });
});
