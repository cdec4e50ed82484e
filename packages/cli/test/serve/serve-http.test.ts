import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { urlIn, temporaryFolder } from "../temporary-folder.ts";
import { greeter, says, waiter } from "../tool-sources.ts";
import { callModern, connect, networkTransports, stdioTransport, stderrOf } from "./mcp-clients.ts";

const bob = (): string => "Bob";

describe("photon serve with an address", { timeout: 20_000 }, () => {
  it.each(["http", "sse", "websocket"] as const)(
    verifies("D1", "serves a TypeScript tool that asks over %s, and nothing over the others"),
    async (transport) => {
      const server = temporaryFolder({ "web.photon.ts": greeter }).start([
        "serve",
        "web",
        `--transport=${transport}`,
        "--port=0",
      ]);
      const url = await server.url();
      const guest = await connect(networkTransports[transport](url), bob);

      expect(await guest.tools()).toEqual(["greet"]);
      expect(await guest.call("greet")).toBe("Hello, Bob!");
      const others = Object.entries(networkTransports).filter(([name]) => name !== transport);
      // A server of WebSocket alone says so at the address that it shares with Streamable HTTP.
      const refusal =
        transport === "websocket" ? /404|Cannot POST|speaks MCP over WebSocket/ : /404|Cannot POST/;
      for (const [, dial] of others) await expect(connect(dial(url))).rejects.toThrow(refusal);
    },
  );

  it(verifies("D1", "serves all at once: stdio, http in both eras, sse and websocket"), async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const transport = stdioTransport(place, ["serve", "--transport=all", "--port=0"]);
    const said = stderrOf(transport);
    const atStdio = await connect(transport, bob);
    const url = await urlIn(said);
    const others = await Promise.all(Object.values(networkTransports).map((dial) => connect(dial(url), bob)));

    const greetings = await Promise.all([
      ...[atStdio, ...others].map((guest) => guest.call("greet")),
      callModern(url, "greet", bob),
    ]);

    expect(greetings).toEqual(Array.from({ length: 5 }, () => "Hello, Bob!"));
  });

  it.each([
    ["commas", ["--transport=http,sse"]],
    ["a flag again", ["-t", "http", "-t", "sse"]],
  ])("takes several transports by %s", async (_, flags) => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start(["serve", ...flags, "--port=0"]);
    const url = await server.url();

    expect(await (await connect(networkTransports.http(url), bob)).call("greet")).toBe("Hello, Bob!");
    expect(await (await connect(networkTransports.sse(url), bob)).call("greet")).toBe("Hello, Bob!");
    await expect(connect(networkTransports.websocket(url))).rejects.toThrow(/404|Cannot POST/);
  });

  it("tells every address, and the line that adds it to a client", async () => {
    const server = temporaryFolder({ "say.photon.ts": says("say", "hello") }).start([
      "serve",
      "-t",
      "all",
      "--port=0",
      "--name=my tools",
    ]);
    const url = await server.url();
    await server.until(/claude mcp add/);

    expect(server.stderrLines.all.slice(1)).toEqual([
      "  stdio      stdin and stdout of this process",
      `  http       ${url}/mcp`,
      `  websocket  ${url.replace("http", "ws")}/mcp`,
      `  sse        ${url}/sse`,
      `Add it to a client: claude mcp add --transport http 'my tools' ${url}/mcp`,
    ]);
  });

  it("has no line for a WebSocket alone, which no common client calls", async () => {
    const server = temporaryFolder({ "say.photon.ts": says("say", "hello") }).start([
      "serve",
      "--transport=websocket",
      "--port=0",
    ]);
    const url = await server.url();
    server.child.kill("SIGTERM");
    await server.exitCode;

    expect(server.stderrLines.all.slice(1)).toEqual([`  websocket  ${url.replace("http", "ws")}/mcp`]);
  });

  it("keeps running if stdin ends without a message, as that of a service", async () => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start([
      "serve",
      "--transport=all",
      "--port=0",
    ]);
    server.child.stdin.end();
    const guest = await connect(networkTransports.http(await server.url()), bob);

    expect(await guest.call("greet")).toBe("Hello, Bob!");
    server.child.kill("SIGTERM");
    expect(await server.exitCode).toBe(0);
  });

  it("ends with the client at stdin, once there was one", async () => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start([
      "serve",
      "--transport=stdio,http",
      "--port=0",
    ]);
    await server.url();

    server.child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');

    expect(await server.exitCode).toBe(0);
  });

  it.each([
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const)("closes at %s with %i, after the bodies have cleaned up", async (signal, exitCode) => {
    const server = temporaryFolder({ "wait.photon.ts": waiter }).start([
      "serve",
      "--transport=http",
      "--port=0",
    ]);
    const guest = await connect(networkTransports.http(await server.url()), () => new Promise(() => {}));
    const calling = guest.call("wait").catch(() => "gone");
    await server.until(/body: begun/);

    server.child.kill(signal);

    expect(await server.exitCode).toBe(exitCode);
    expect(server.stderr).toContain("body: ended");
    await calling;
  });

  it("accepts the hosts and origins of --allow-host and --allow-origin, and no others", async () => {
    const flags = [
      "--allow-host=tools.example.com",
      "--allow-origin=https://app.example.com,https://b.example.com",
    ];
    const server = temporaryFolder({ "say.photon.ts": says("say", "hello") }).start([
      "serve",
      "-t",
      "http",
      "--port=0",
      ...flags,
    ]);
    const url = await server.url();
    const statusFor = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/healthz`, { headers })).status;

    expect(await statusFor({ origin: "https://b.example.com" })).toBe(200);
    expect(await statusFor({ origin: "https://tools.example.com" })).toBe(200);
    expect(await statusFor({ origin: "https://c.example.com" })).toBe(403);
  });

  it(verifies("D5", "holds clients to the limits it was given"), async () => {
    const server = temporaryFolder({ "say.photon.ts": says("say", "hello") }).start([
      "serve",
      "-t",
      "http",
      "--port=0",
      "--limit=messageBytes=200",
    ]);
    const { status } = await fetch(`${await server.url()}/mcp`, {
      method: "POST",
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: "x".repeat(201),
    });

    expect(status).toBe(413);
  });
});
