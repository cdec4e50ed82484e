import type { RequestListener } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { begin, call, command, freePort, httpServer, serve } from "./servers.ts";

const strange = new URL("./fixtures/strange.mjs", import.meta.url);

const work = tool({ name: "work", async *run() {} });

const status =
  (code: number): RequestListener =>
  (_, response) => {
    response.writeHead(code, { "content-type": "text/plain" }).end(`Computer says ${code}.`);
  };
const page: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>");
};

describe("photon call", { timeout: 30_000 }, () => {
  it("names the WebSocket address of a server that has no HTTP transport", async () => {
    const url = await serve({ tools: [work] }, { transports: ["websocket"] });
    const { stderr, exitCode } = await callInProcess([`${url}/mcp`, "work"]);

    expect({ stderr, exitCode }).toEqual({
      stderr: `${url}/mcp accepts only WebSocket connections (426): use ${url.replace("http", "ws")}/mcp.\n`,
      exitCode: 2,
    });
  });

  it.each([
    ["asks who is there", status(401), "@ requires authentication (401): add --token or --header.\n"],
    ["refuses the caller", status(403), "@ refuses this caller (403): check --token and --header.\n"],
    [
      "has nothing there",
      status(404),
      "There is nothing at @ (404). Most servers are at /mcp, older ones at /sse.\n",
    ],
    [
      "takes no messages",
      status(405),
      "@ is not the address of an MCP server (405). Most are at /mcp, older ones at /sse.\n",
    ],
    ["is something else", status(204), "@ does not respond as an MCP server does: "],
    ["is broken", status(500), "@ refuses the connection (500).\n"],
    ["is a web site", page, "@ does not respond as an MCP server does: Unexpected content type: text/html\n"],
  ])(verifies("D5", "says in one sentence that a server %s"), async (_, listener, sentence) => {
    const url = `${await httpServer(listener)}/mcp`;
    const { stdout, stderr, exitCode } = await callInProcess([url, "work"]);

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr.replaceAll(url, "@")).toMatch(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it.each(["http @/mcp", "http @/sse", "ws @/mcp"])(
    verifies("D5", "says that no server listens at %s"),
    async (line) => {
      const [scheme = "", at = ""] = line.split(" ");
      const url = at.replace("@", `${scheme}://127.0.0.1:${await freePort()}`);
      const { stderr, exitCode } = await callInProcess([url, "work"]);

      expect({ stderr, exitCode }).toEqual({
        stderr: `No server listens at ${url}: is it running?\n`,
        exitCode: 2,
      });
    },
  );

  it("says why a WebSocket is refused", async () => {
    const url = (await httpServer(status(401))).replace("http", "ws");
    const { stderr, exitCode } = await callInProcess([url, "work"]);

    expect({ stderr, exitCode }).toEqual({
      stderr: `${url}/ requires authentication (401): add --token or --header.\n`,
      exitCode: 2,
    });
  });

  it("says that there is no such command", async () => {
    expect(await callInProcess(["work", "--", "no-such-command-here"])).toEqual({
      stdout: "",
      stderr: 'There is no command "no-such-command-here".\n',
      exitCode: 2,
    });
  });

  it("says that a command ended, after what it said itself, once", async () => {
    const { stderr, exitCode } = await callInProcess(["work", ...command(strange, "ends")]);

    expect(stderr).toMatch(/^No licence found\.\n.*strange\.mjs ends exited before it responded\.\n$/);
    expect(exitCode).toBe(2);
  });

  it("calls a command that ends at what it does not know once more, as an old server", async () => {
    expect(await callInProcess(["work", ...command(strange, "old")])).toMatchObject({
      stdout: "Done.\n",
      exitCode: 0,
    });
  });

  it("overhears what a command prints that is no message", async () => {
    expect(await callInProcess(["work", ...command(strange, "talkative")])).toMatchObject({
      stdout: "Done.\n",
      exitCode: 0,
    });
  });

  it("shows the progress that arrives together with the result", async () => {
    expect(await callInProcess(["work", ...command(strange, "hasty")])).toMatchObject({
      stdout: "Done.\n",
      stderr: "Nearly done\n",
    });
  });

  it("says that a command died while it was called", async () => {
    const { stdout, stderr, exitCode } = await call(["work", ...command(strange, "dies")]);

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toMatch(
      /^I feel unwell\.\n.*strange\.mjs dies closed the connection before the call ended\.\n$/,
    );
  });

  it("waits no longer than --timeout for a server that says nothing", async () => {
    const { stderr, exitCode } = await callInProcess([
      "work",
      "--timeout",
      "300ms",
      ...command(strange, "silent"),
    ]);

    expect(stderr).toMatch(/strange\.mjs silent has sent nothing for 300ms; --timeout allows more time\.\n$/);
    expect(exitCode).toBe(1);
  });

  it.each(["http @/mcp", "http @/sse", "ws @/mcp"])(
    "waits no longer than --timeout for a server that never begins: %s",
    async (line) => {
      const [scheme = "", at = ""] = line.split(" ");
      const server = await httpServer(({ headers }, response) => {
        if (headers.upgrade !== undefined) return;
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      });
      const url = at.replace("@", server.replace("http", scheme));
      const { stderr, exitCode } = await callInProcess([url, "work", "--timeout", "300ms"]);

      expect({ stderr, exitCode }).toEqual({
        stderr: `${url} has not responded in time; --timeout allows more time.\n`,
        exitCode: 2,
      });
    },
  );

  it(verifies("B9", "does not take the time of a person for that of the server"), async () => {
    const slow = tool({
      name: "slow",
      async *run() {
        return yield* ask.text("Who?");
      },
    });
    const url = await serve({ tools: [slow] });
    const { child, exitCode, stderrLines } = begin([`${url}/sse`, "--timeout", "2s"]);
    await stderrLines.until((line) => line.includes("Who?"));
    // It is this that is tested: that nothing happens meanwhile.
    await after(2500);
    child.stdin.end("Ada\n");

    expect(await exitCode).toBe(0);
  });

  it.each(["http @/mcp", "session @/mcp", "sse @/sse", "ws @/mcp"])(
    "says that a server died while it was called: %s",
    async (line) => {
      const [kind = "", at = ""] = line.split(" ");
      const place = temporaryFolder({
        "dies.photon.js": `import { emit, tool } from "@photon/core";
          export const dies = tool({ async *run() { yield emit.status("Working"); process.kill(process.pid, "SIGKILL"); await new Promise(() => {}); } });`,
      });
      const url = await place.start(["serve", "--transport=all", "--port", "0"]).url();
      const address = at.replace("@", kind === "ws" ? url.replace("http", "ws") : url);
      const revision = kind === "session" ? ["--revision", "2025-06-18"] : [];
      const { stdout, stderr, exitCode } = await call([address, "dies", ...revision]);

      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
      expect(stderr).toContain(`${address} closed the connection before the call ended.\n`);
    },
  );

  it("may be told to wait for longer than a timer can", async () => {
    const hello = tool({
      name: "hello",
      async *run() {
        return "hello";
      },
    });
    const url = await serve({ tools: [hello] });

    expect(await callInProcess([`${url}/mcp`, "hello", "--timeout", "30d"])).toEqual({
      stdout: "hello\n",
      stderr: "",
      exitCode: 0,
    });
  });

  it(verifies("D5", "sends one token where there are several, and without its name"), async () => {
    const seen = new Set<unknown>();
    const url = await httpServer((request, response) => {
      seen.add(JSON.stringify(request.headers));
      response.writeHead(400).end();
    });
    await callInProcess([`${url}/mcp`, "work"], { env: { PHOTON_TOKEN: "ada:first1, bob:second2" } });

    const sent = [...seen].join("\n");
    expect(sent).toContain('"Bearer first1"');
    expect(sent).not.toMatch(/ada|bob|second2/);
  });

  it(verifies("D5", "warns where a token goes over a network as it is, for all to read"), async () => {
    const url = await httpServer(status(404));
    const elsewhere = url.replace("127.0.0.1", "0.0.0.0");
    const { stderr } = await callInProcess([`${elsewhere}/mcp`, "work", "--token", "s3cr3t"]);

    expect(stderr).toMatch(/^The token is sent to http:\/\/0\.0\.0\.0:\d+ unencrypted, .* Use https\.\n/);
    expect(stderr).not.toContain("s3cr3t");
    expect((await callInProcess([`${elsewhere}/mcp`, "work"])).stderr).not.toContain("unencrypted");
    expect((await callInProcess([`${url}/mcp`, "work", "--token", "x"])).stderr).not.toContain("unencrypted");
  });

  it(verifies("D5", "sends the token and the headers it was given, and shows neither"), async () => {
    const seen: unknown[] = [];
    const url = await httpServer((request, response) => {
      seen.push([request.headers.authorization, request.headers["x-room"]]);
      // As some do, it says what it was given.
      response.writeHead(400).end(`I do not know ${request.headers.authorization ?? ""}.`);
    });
    const flags = ["--header", "X-Room: 12", "--verbose"];
    const env = { PHOTON_TOKEN: "s3cr3t" };
    const http = await callInProcess([`${url}/mcp`, "work", ...flags], { env });
    const websocket = await callInProcess([url.replace("http", "ws"), "work", "--token", "s3cr3t"]);

    expect(seen[0]).toEqual(["Bearer s3cr3t", "12"]);
    expect(http).toMatchObject({ stdout: "", exitCode: 2 });
    expect(`${http.stderr}${websocket.stderr}`).not.toContain("s3cr3t");
  });
});
