import { request } from "node:http";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { describe, expect, it } from "vitest";
import { runInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { greeter, says } from "../tool-sources.ts";
import { connect, httpTransportWithToken } from "./mcp-clients.ts";

const ADA = "ada-0123456789abcdef";
const BOB = "bob-0123456789abcdef";
const bearing = (token: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});
const overSse = (url: string, token: string): Transport =>
  // oxlint-disable-next-line typescript/no-deprecated -- the client of the transport that is tested here
  new SSEClientTransport(new URL(`${url}/sse`), {
    requestInit: bearing(token),
    eventSourceInit: { fetch: (at, init) => fetch(at, { ...init, ...bearing(token) }) },
  });

/** The HTTP status of a request over each transport, upgrades included. */
async function statuses(url: string, headers: Record<string, string> = {}): Promise<readonly number[]> {
  const asking = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const post = { method: "POST", body: "{}", headers: { ...asking, ...headers } };
  const [mcp, messages, sse] = await Promise.all([
    fetch(`${url}/mcp`, post),
    fetch(`${url}/messages`, post),
    fetch(`${url}/sse`, { headers }),
  ]);
  await sse.body?.cancel();
  return [mcp.status, messages.status, sse.status, await upgradeStatus(url, headers)];
}

function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "mcp",
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/mcp`, { headers: { ...upgrade, ...headers } });
    asked.once("error", reject);
    asked.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once("upgrade", (_, socket) => {
      socket.destroy();
      resolve(101);
    });
    asked.end();
  });
}

describe("photon serve with --auth-token", { timeout: 20_000 }, () => {
  const start = (...flags: readonly string[]) =>
    temporaryFolder({ "web.photon.ts": greeter }).start([
      "serve",
      "-t",
      "http,sse,websocket",
      "--port=0",
      ...flags,
    ]);

  it("answers 401 without a token, or with another, on every transport", async () => {
    const url = await start("--auth-token", `ada:${ADA}`).url();

    expect(await statuses(url)).toEqual([401, 401, 401, 401]);
    expect(await statuses(url, { authorization: `Bearer ${BOB}` })).toEqual([401, 401, 401, 401]);
    expect(await upgradeStatus(url, { authorization: `Bearer ${ADA}` })).toBe(101);
  });

  it.each([
    ["Streamable HTTP", httpTransportWithToken],
    ["SSE", overSse],
  ])("serves clients that send one, over %s", async (_, dial) => {
    const url = await start("--auth-token", `ada:${ADA}`, `--auth-token=bob:${BOB}`).url();

    for (const token of [ADA, BOB])
      expect(await (await connect(dial(url, token))).call("greet")).toBe("Hello, Ada!");
  });

  it("takes names and tokens from PHOTON_TOKEN, or one token that photon call sends too", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const args = ["serve", "-t", "http", "--port=0"];
    const several = place.start(args, { PHOTON_TOKEN: `ada:${ADA},bob:${BOB}` });
    const alone = place.start(args, { PHOTON_TOKEN: ADA });

    expect(await (await connect(httpTransportWithToken(await several.url(), BOB))).call("greet")).toBe(
      "Hello, Ada!",
    );
    const call = ["call", `${await alone.url()}/mcp`, "greet", "--answer=name=Eve"];
    expect(await place.photon(call, { PHOTON_TOKEN: ADA })).toMatchObject({ stdout: "Hello, Eve!\n" });
    expect(await place.photon(call)).toMatchObject({ stdout: "", exitCode: 2 });
  });

  it("says whose tokens there are, and never shows one", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const flags = ["-t", "http", "--port=0", `--auth-token=ada:${ADA},bob:${BOB}`, "--verbose"];
    const server = place.start(["serve", ...flags, "--log-level=debug"]);
    await statuses(await server.url());
    const config = await place.photon(["serve", ...flags, "--print-config"]);
    const misused = await Promise.all([
      place.photon(["serve", ...flags, `--auth-token=ada:${ADA}`]),
      place.photon(["serve", "-t", "http", "--auth-token", `-${ADA}`]),
      place.photon(["serve", "-t", "http", `--auth-token=:${ADA}`]),
    ]);
    server.child.kill("SIGTERM");
    await server.exitCode;

    expect(server.stderr).toContain("Callers need the token of ada, bob.");
    expect(JSON.parse(config.stdout)).toMatchObject({
      cursor: { mcpServers: { photon: { headers: { Authorization: "Bearer <token>" } } } },
    });
    const shown = JSON.stringify([server.stderr, config, misused]);
    expect(shown).not.toContain(ADA);
    expect(shown).not.toContain(BOB);
    expect(misused.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2]);
  });
});

describe("who may call photon serve", { timeout: 20_000 }, () => {
  const hello = { "hello.photon.ts": says("hello", "hello") };

  it.each(["0.0.0.0", "::", "192.0.2.7", "tools.example.com"])(
    "has to be said where it listens on %s, which other machines reach",
    async (host) => {
      const args = ["-t", "http", "--host", host];
      const sentence = `Other machines can reach --host ${host}: require a token with --auth-token name:token, or allow unauthenticated access with --no-auth.\n`;

      for (const command of [
        ["serve", ...args],
        ["dev", "--host", host],
      ])
        expect(await runInProcess(command, { cwd: temporaryFolder(hello).folder })).toEqual({
          stdout: "",
          stderr: sentence,
          exitCode: 2,
        });
    },
  );

  it.each([
    ["bearers of a token", `--auth-token=ada:${ADA}`, "Callers need the token of ada.", 401],
    ["everybody", "--no-auth", "Unauthenticated access is allowed (--no-auth).", 400],
  ])("on every address of the machine can be %s", async (_, flag, sentence, status) => {
    const server = temporaryFolder(hello).start(["serve", "-t", "http", "--host=0.0.0.0", "--port=0", flag]);
    const [asked] = await statuses(await server.url());
    await server.until(/Add it to a client/);

    expect(server.stderr).toContain(sentence);
    expect(asked).toBe(status);
  });

  it.each([
    [
      ["-t", "http", "--no-auth", `--auth-token=ada:${ADA}`],
      "--no-auth allows unauthenticated access, and --auth-token (or PHOTON_TOKEN) requires a token; give only one of them.",
    ],
    [
      ["-t", "http", `--auth-token=ada:${ADA},ada:${BOB}`],
      'Two tokens have the name "ada"; give each its own name.',
    ],
    [
      ["-t", "http", "--auth-token=ada:short"],
      'The token "ada" needs at least 16 characters, all of them ASCII; make one with: openssl rand -base64 24',
    ],
    [[`--auth-token=ada:${ADA}`], "--auth-token is for sse, http and websocket; add --transport=http."],
    [["--no-auth"], "--no-auth is for sse, http and websocket; add --transport=http."],
    [
      ["--allow-host=tools.example.com"],
      "--allow-host is for sse, http and websocket; add --transport=http.",
    ],
    [
      ["--allow-origin=https://app.example.com"],
      "--allow-origin is for sse, http and websocket; add --transport=http.",
    ],
    [
      ["--public-url=https://x.example"],
      "--public-url is for sse, http and websocket; add --transport=http.",
    ],
    [
      ["-t", "http", "--public-url=photon.example.com"],
      '--public-url is an address like https://photon.example.com/tools, not "photon.example.com".',
    ],
    [
      ["-t", "http", "--public-url=https://x.example", "--when-unsupported=page"],
      "Pages at the --public-url are opened with a token, and none is configured: add --auth-token name:token, or leave out --when-unsupported=page.",
    ],
    [
      ["-t", "http", "--host=0.0.0.0", "--no-auth", "--when-unsupported=page"],
      "Pages are opened with a token where other machines can reach the --host, and none is configured: add --auth-token name:token, or leave out --when-unsupported=page.",
    ],
    [
      ["-t", "stdio,http", "--public-url=https://x.example", `--auth-token=ada:${ADA},bob:${BOB}`],
      "Pages at the --public-url are opened with a token: choose the token of the client at stdin with --principal (ada, bob).",
    ],
    [
      ["-t", "stdio,http", `--auth-token=ada:${ADA},bob:${BOB}`, "--principal=eve"],
      '--principal is the name of a token (ada, bob), not "eve".',
    ],
    [
      ["-t", "http", `--auth-token=ada:${ADA}`, "--principal=ada"],
      "--principal is for stdio; the token identifies the callers of other transports.",
    ],
    [["--when-unsupported=guess"], '--when-unsupported is one of fail, page, relay, not "guess".'],
    [["--with=magic"], '--with is any of elicit, not "magic".'],
  ])("is refused where it makes no sense: %j", async (flags, sentence) => {
    expect(await runInProcess(["serve", ...flags], { cwd: temporaryFolder(hello).folder })).toEqual({
      stdout: "",
      stderr: `${sentence}\n`,
      exitCode: 2,
    });
  });

  it("is the client that started it over stdio, whatever PHOTON_TOKEN is", async () => {
    const server = temporaryFolder(hello).start(["serve"], { PHOTON_TOKEN: "short" });
    await server.until(/serves 1 tool/);
    server.child.stdin.end();

    expect(await server.exitCode).toBe(0);
  });
});
