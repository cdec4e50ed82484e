import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { temporaryFolder, type RunningCommand } from "../temporary-folder.ts";
import { greeter, says, waiter } from "../tool-sources.ts";
import { connect, stdioTransport } from "./mcp-clients.ts";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "raw", version: "1" },
  },
};

function send({ child }: RunningCommand, ...messages: readonly object[]): void {
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Begins a call of `wait`, and waits until its body is at its question. */
async function beginWaiting(server: RunningCommand): Promise<void> {
  send(server, initialize, { method: "notifications/initialized" });
  send(server, { id: 2, method: "tools/call", params: { name: "wait", arguments: {} } });
  await server.until(/body: begun/);
}

describe("photon serve over stdio", { timeout: 20_000 }, () => {
  it(verifies("D1", "serves a TypeScript tool that asks to a client which starts it"), async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const guest = await connect(stdioTransport(place, ["serve"]), (message) => `${message} Ada`);

    expect(await guest.tools()).toEqual(["greet"]);
    expect(await guest.call("greet")).toBe("Hello, Who are you? Ada!");
    expect(guest.client.getServerVersion()).toMatchObject({ name: "photon" });
  });

  it("goes by the name it is given, and takes the question's time from --ask-timeout", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const flags = ["--name", "hotel", "--ask-timeout=50ms"];
    const guest = await connect(
      stdioTransport(place, ["serve", "web", ...flags]),
      () => new Promise(() => {}),
    );

    expect(guest.client.getServerVersion()).toMatchObject({ name: "hotel" });
    expect(await guest.call("greet")).toBe('No answer to "Who are you?" (name) arrived in time.');
  });

  it("keeps stdout for the protocol: what a tool prints goes to stderr", async () => {
    const loud = 'import { tool } from "@photon/core";\nconsole.log("while loading");\n'.concat(
      'export const loud = tool({ async *run() { console.log("while running"); return "done"; } });',
    );
    const server = temporaryFolder({ "loud.photon.ts": loud }).start(["serve"]);
    const printed: string[] = [];
    server.child.stdout.setEncoding("utf8").on("data", (chunk: string) => printed.push(chunk));
    send(server, initialize, { id: 2, method: "tools/call", params: { name: "loud", arguments: {} } });
    await server.until(/while running/);
    server.child.stdin.end();
    await server.exitCode;

    const lines = printed.join("").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
    expect(server.stderr).toContain("while loading");
  });

  it("tells on stderr what it serves, and the line that adds it to a client", async () => {
    const place = temporaryFolder({ "a tool.photon.ts": says("hello", "hello") });
    const { stdout, stderr, exitCode } = await place.photon(["serve", "a tool"]);

    expect(stderr).toMatch(
      /^photon \d.* serves 1 tool \(hello\)\n {2}stdio {2}stdin and stdout of this process\n/,
    );
    expect(stderr).toContain(`claude mcp add photon -- ${process.execPath} `);
    expect(stderr).toContain(` serve '${place.folder}/a tool.photon.ts'\n`);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 0 });
  });

  describe("ends", () => {
    it("with 0 when the client closes stdin, after the bodies have cleaned up", async () => {
      const server = temporaryFolder({ "wait.photon.ts": waiter }).start(["serve"]);
      await beginWaiting(server);

      server.child.stdin.end();

      expect(await server.exitCode).toBe(0);
      expect(server.stderr).toContain("body: ended");
    });

    it.each([
      ["SIGTERM", 0],
      ["SIGHUP", 0],
      ["SIGINT", 130],
    ] as const)("at %s with %i, after the bodies have cleaned up", async (signal, exitCode) => {
      const server = temporaryFolder({ "wait.photon.ts": waiter }).start(["serve"]);
      await beginWaiting(server);

      server.child.kill(signal);

      expect(await server.exitCode).toBe(exitCode);
      expect(server.stderr).toContain("body: ended");
    });

    it("at once at a second signal, while a body takes its time", async () => {
      const slow = waiter.replace("setImmediate(resolve)", 'console.error("body: cleaning")');
      const server = temporaryFolder({ "wait.photon.ts": slow }).start(["serve", "--grace=1h"]);
      await beginWaiting(server);
      server.child.kill("SIGINT");
      await server.until(/body: cleaning/);

      server.child.kill("SIGINT");

      expect(await server.exitCode).toBe(130);
      expect(server.stderr).not.toContain("body: ended");
    });

    it("at ctrl+c also while a tool file takes forever to load", async () => {
      const stuck =
        'console.error("loading");\nawait new Promise(() => setInterval(() => {}, 1000));\nexport {};\n';
      const server = temporaryFolder({ "stuck.photon.ts": stuck }).start(["serve"]);
      await server.until(/loading/);

      server.child.kill("SIGINT");

      expect(await server.exitCode).toBe(130);
    });

    it("though a tool file has left a timer behind", async () => {
      const busy = `setInterval(() => {}, 1000);\n${says("busy", "busy")}`;
      const { exitCode } = await temporaryFolder({ "busy.photon.ts": busy }).photon(["serve"]);

      expect(exitCode).toBe(0);
    });

    it("with 0 when the reader of stdout is gone", async () => {
      const server = temporaryFolder({ "say.photon.ts": says("say", "hello") }).start(["serve"]);
      await server.until(/serves 1 tool/);
      server.child.stdout.destroy();
      await once(server.child.stdout, "close");

      send(server, initialize);

      expect(await server.exitCode).toBe(0);
    });

    it("not when the reader of stderr is gone", async () => {
      const server = temporaryFolder({ "wait.photon.ts": waiter }).start(["serve"]);
      await server.until(/serves 1 tool/);
      server.child.stderr.destroy();
      await once(server.child.stderr, "close");
      const answered = once(server.child.stdout, "data");

      // Its body writes to stderr.
      send(server, initialize, { id: 2, method: "tools/call", params: { name: "wait", arguments: {} } });
      await answered;
      server.child.stdin.end();

      expect(await server.exitCode).toBe(0);
    });
  });

  it("reports a promise that a tool left alone, and serves on", async () => {
    const stray = says("stray", "said").replace(
      "    return",
      '    void Promise.reject(new Error("left alone"));\n    return',
    );
    const place = temporaryFolder({ "stray.photon.ts": stray });
    const server = place.start(["serve"]);
    const answers = once(server.child.stdout, "data");
    send(server, initialize, { id: 2, method: "tools/call", params: { name: "stray", arguments: {} } });
    await answers;

    expect(await server.until(/left alone/)).toMatch(/error left alone \(.*stray\.photon\.ts:6:\d+\)$/);
    send(server, { id: 3, method: "ping" });
    await once(server.child.stdout, "data");
    server.child.stdin.end();
    expect(await server.exitCode).toBe(0);
  });

  it.each([
    ["a promise that nothing awaits", "void Promise.reject(new Error(value));"],
    ["a promise rejected with it", "void Promise.reject(value);"],
    ["a promise rejected with an object", "void Promise.reject({ value, toString: () => value });"],
    ["an error that nothing catches", "setImmediate(() => { throw new Error(value); });"],
  ])("shows no secret in the log: %s", async (_, leaving) => {
    const leaky = `import { ask, Secret, tool } from "@photon/core";

export const leaky = tool({
  async *run() {
    const fallback = { unsupported: new Secret("Zq7PlantedSecret81") };
    const value = (yield* ask.secret("Token?", { fallback })).reveal();
    ${leaving}
    return "said";
  },
});
`;
    const server = temporaryFolder({ "leaky.photon.ts": leaky }).start(["serve"]);
    send(server, initialize, { id: 2, method: "tools/call", params: { name: "leaky", arguments: {} } });

    await server.until(/not shown/);
    server.child.stdin.end();
    await server.exitCode;
    expect(server.stderr).not.toContain("Zq7PlantedSecret81");
  });

  it("closes with 1 after an uncaught exception of a tool", async () => {
    const bomb = says("bomb", "said").replace(
      "    return",
      '    setImmediate(() => { throw new Error("boom"); });\n    return',
    );
    const server = temporaryFolder({ "bomb.photon.ts": bomb }).start(["serve"]);
    send(server, initialize, { id: 2, method: "tools/call", params: { name: "bomb", arguments: {} } });

    expect(await server.exitCode).toBe(1);
    expect(server.stderr).toMatch(/error boom \(.*bomb\.photon\.ts:6:\d+\)/);
  });
});
