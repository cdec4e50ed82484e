import { describe, expect, it } from "vitest";
import { callModern, connect, networkTransports } from "./serve/mcp-clients.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { greeter } from "./tool-sources.ts";

describe("photon dev", { timeout: 20_000 }, () => {
  it("serves over HTTP, WebSocket and SSE on one port, and reloads on change", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const server = place.start(["dev", "web", "--port=0"]);
    const url = await server.url();
    const guests = await Promise.all(Object.values(networkTransports).map((dial) => connect(dial(url))));
    expect(await Promise.all(guests.map((guest) => guest.call("greet")))).toEqual([
      "Hello, Ada!",
      "Hello, Ada!",
      "Hello, Ada!",
    ]);

    place.write("web.photon.ts", greeter.replace("Hello", "Goodbye"));
    await server.until(/reloaded/);

    expect(await Promise.all(guests.map((guest) => guest.call("greet")))).toEqual([
      "Goodbye, Ada!",
      "Goodbye, Ada!",
      "Goodbye, Ada!",
    ]);
    expect(await callModern(url, "greet")).toBe("Goodbye, Ada!");
  });

  it("fails a call whose tool makes an effect after an await and does not yield it", async () => {
    const source = `import { ask, tool } from "@photon/core";
export const careless = tool({ async *run() {
  await Promise.resolve();
  const sure = ask.confirm("Delete?");
  return sure.message;
} });
`;
    const server = temporaryFolder({ "web.photon.ts": source }).start(["dev", "web", "--port=0"]);
    const guest = await connect(networkTransports.http(await server.url()));

    const said = await guest.call("careless");

    expect(said).toContain("yield* ask.confirm(…)");
    expect(said).toContain("web.photon.ts:4:20");
  });

  it("leaves stdin alone, and ends with 130 at ctrl+c", async () => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start(["dev", "--port=0"]);
    server.child.stdin.end("not a message\n");
    await server.url();

    server.child.kill("SIGINT");

    expect(await server.exitCode).toBe(130);
    expect(server.stderrLines.all.filter((line) => line.includes("stdio"))).toEqual([]);
  });

  it("starts although a file is broken, says so, and serves it when it is fixed", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter.replace("export", "exprt") });
    const server = place.start(["dev", "web", "--port=0"]);
    await server.until(/web\.photon\.ts:\d+:\d+: /);
    const guest = await connect(networkTransports.http(await server.url()));
    expect(await guest.tools()).toEqual([]);

    place.write("web.photon.ts", greeter);
    await server.until(/reloaded/);

    expect(await guest.call("greet")).toBe("Hello, Ada!");
  });

  it("does not start where there is no tool file", async () => {
    const { stderr, exitCode } = await temporaryFolder().photon(["dev", "nowhere"]);

    expect(stderr).toContain('There is no tool file "nowhere"');
    expect(exitCode).toBe(2);
  });

  it("has no flag that makes no sense there", async () => {
    const { stderr, exitCode } = await temporaryFolder({ "web.photon.ts": greeter }).photon([
      "dev",
      "--transport=stdio",
    ]);

    expect(stderr).toBe('photon dev has no flag "--transport"; "npx photon dev --help" lists its flags.\n');
    expect(exitCode).toBe(2);
  });
});
