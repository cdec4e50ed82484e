import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { transportContract } from "./transport-contract.ts";
import { transports } from "./wire/servers.ts";
import { readLines } from "../../../test/clients/carriers.ts";
import { MessageQueue } from "../../../test/clients/messages.ts";
import { RawClient, callOf, textOf } from "../../../test/clients/raw-client.ts";

const fixture = new URL("fixtures/serve-stdio.mjs", import.meta.url);
const twice = new URL("fixtures/serve-stdio-twice.mjs", import.meta.url);
const withHttp = new URL("fixtures/serve-stdio-and-http.mjs", import.meta.url);

/** What a request says of itself that stands alone. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
const alone = { _meta: meta };

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly client: RawClient;
  /** What was on stdout and is no message. */
  readonly strays: string[];
  readonly stderr: () => string;
  /** How it ended: its exit code and the signal. */
  readonly exit: Promise<readonly unknown[]>;
}

/** A server in a process of its own, from the build. */
function start(program = fixture): Started {
  const child = spawn(process.execPath, [fileURLToPath(program)]);
  const exit = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  const inbox = new MessageQueue();
  const strays: string[] = [];
  readLines(child.stdout, (line) => {
    if (line.startsWith("{") || line.startsWith("[")) inbox.push(JSON.parse(line));
    else strays.push(line);
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {});
  const gone = exit.then(() => inbox.end("the process has ended"));
  const client = new RawClient(
    {
      async sendText(text) {
        child.stdin.write(`${text}\n`);
      },
      async close() {
        child.stdin.end();
        await gone;
      },
      gone,
    },
    inbox,
  );
  return { child, client, strays, stderr: () => stderr, exit };
}

describe("stdio", () => {
  transportContract(transports.stdio, { afterTooBig: "lives" });

  describe("of a process", { timeout: 20_000 }, () => {
    it(verifies("C1", "carries calls, questions and 2 MiB"), async () => {
      const { client } = start();
      await client.initialize();
      const text = `x${"€é😀".repeat((2 * 1024 * 1024) / 9)}`;

      expect(textOf(await client.callTool("echo", { text })) === text).toBe(true);
    });

    it("takes messages that come byte by byte, in the middle of characters, and several in one read", async () => {
      const { child, client } = start();
      await client.initialize();
      const message = {
        jsonrpc: "2.0",
        id: "cut",
        method: "tools/call",
        params: callOf("echo", { text: "é€😀" }),
      };
      const ping = '{"jsonrpc":"2.0","id":"ping","method":"ping"}';

      for (const byte of Buffer.from(`${JSON.stringify(message)}\r\n`)) {
        // Each byte is a write of its own; the next waits until it is handed over.
        await new Promise((resolve) => {
          child.stdin.write(Buffer.of(byte), resolve);
        });
      }
      expect(textOf(await client.answerTo("cut"))).toBe("é€😀");
      child.stdin.write(`\n\n${ping}\n  \n${ping.replace("ping", "again")}\n`);

      expect(await client.answerTo("ping")).toHaveProperty("result");
      expect(await client.answerTo("again")).toHaveProperty("result");
    });

    it("makes the answer to a request that stands alone too long to be read with the progress before it, and no other", async () => {
      const { child, client } = start();
      const lengths: number[] = [];
      readLines(child.stdout, (line) => lengths.push(Buffer.byteLength(line)));
      const call = (name: string, progressToken?: number): Promise<unknown> =>
        client.request("tools/call", callOf(name, {}, { ...meta, progressToken }));

      await call("loud", 1);
      await call("loud");
      await call("echo", 2);

      const [progress = 0, apart, withoutToken = 0, withoutProgress = 0] = lengths;
      // With its newline, as much as is read at once: more is too much for readers such as those of Python and Go.
      expect(apart).toBe(64 * 1024 - 1);
      expect(Math.max(progress, withoutToken, withoutProgress)).toBeLessThan(1024);
    });

    it("has stdout for the protocol only: what a tool prints goes to stderr", async () => {
      const { client, strays, stderr, exit } = start();
      await client.initialize();

      expect(textOf(await client.callTool("loud"))).toBe("done");
      await client.close();
      await exit;

      expect(strays).toEqual(["after"]);
      expect(stderr()).toContain("a stray line");
      expect(stderr()).toContain("stray: 'object'");
      expect(stderr()).toContain("a stray write");
    });

    it("serves one client at a time, and gives stdout back to the program", async () => {
      const { client, strays, stderr, exit } = start(twice);
      await client.initialize();

      expect(await client.request("ping")).toHaveProperty("result");
      await client.close();
      await exit;

      const [full = "", ...refusals] = stderr().split("\n");
      expect(full).toMatch(/^RpcError: This server has reached its limit of sessions/);
      expect(refusals).toEqual([
        "StdioInUse: This process already serves a client at stdin and stdout; wait until that client has disconnected.",
        "StdioInUse: This process already serves a client at stdin and stdout; wait until that client has disconnected.",
        "a stray line",
        "",
      ]);
      expect(strays).toEqual(["after"]);
    });

    it(verifies("B8", "runs the finally blocks and exits with 0 at the end of its input"), async () => {
      const { client, stderr, exit } = start();
      await client.initialize();
      client.begin("tools/call", callOf("patient"));
      await client.receive();

      await client.close();

      expect(await exit).toEqual([0, null]);
      expect(stderr()).toContain("finally ran");
      expect(stderr()).toContain("sessions left: 0");
    });

    it(
      verifies(
        ["B8", "C6"],
        "does not wait for answers that nobody can bring any more, and runs the finally blocks",
      ),
      async () => {
        const { client, stderr, exit } = start();
        await client.request("tools/call", { ...callOf("patient"), ...alone });

        await client.close();

        expect(await exit).toEqual([0, null]);
        expect(stderr()).toContain("finally ran");
      },
    );

    it(verifies("C6", "waits on for answers that may be brought over HTTP"), async () => {
      const { child, client, stderr } = start(withHttp);
      const call = { ...callOf("patient"), ...alone };
      const { result } = await client.request("tools/call", call);
      child.stdin.end();
      await vi.waitFor(() => expect(stderr()).toContain("gone"), { timeout: 10_000 });

      const inputResponses = { "ask-1": { action: "accept", content: { value: "Ada" } } };
      const response = await fetch(`${stderr().split("\n")[0]}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "patient",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { ...call, inputResponses, requestState: result?.["requestState"] },
        }),
      });

      await expect(response.text()).resolves.toContain("Hello, Ada!");
    });

    it.each(["SIGTERM", "SIGINT"] as const)(
      verifies("B8", "runs the finally blocks, cancels the question and exits with 0 on %s"),
      async (signal) => {
        const { child, client, stderr, exit } = start();
        await client.initialize();
        const id = client.begin("tools/call", callOf("patient"));
        const question = await client.receive();

        child.kill(signal);

        const cancelled = await client.receive("notifications/cancelled");
        expect(cancelled.params?.["requestId"]).toBe(question.id);
        expect((await client.answerTo(id)).result?.["isError"]).toBe(true);
        expect(await exit).toEqual([0, null]);
        expect(stderr()).toContain("finally ran");
      },
    );

    it("answers what was asked before the end of its input", async () => {
      const { child, client, exit } = start();
      const initialize = {
        jsonrpc: "2.0",
        id: "first",
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
      };

      child.stdin.end(`${JSON.stringify(initialize)}\n`);

      expect(await client.answerTo("first")).toHaveProperty("result");
      expect(await exit).toEqual([0, null]);
    });

    it("exits with 0 when nobody reads what it writes any more", async () => {
      const { child, client, stderr, exit } = start();
      await client.initialize();
      client.begin("tools/call", callOf("patient"));
      await client.receive();

      child.stdout.destroy();
      // What is written now has no reader.
      client.begin("ping");
      client.begin("ping");

      expect(await exit).toEqual([0, null]);
      expect(stderr()).toContain("finally ran");
      expect(stderr()).not.toContain("EPIPE");
    });

    it("ends on SIGTERM although its client has stopped reading", async () => {
      const { child, client, exit } = start();
      await client.initialize();
      client.begin("tools/call", callOf("flood", {}, { progressToken: 1 }));
      await client.receive("notifications/progress");
      child.stdout.pause();

      child.kill("SIGTERM");

      expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
      child.stdout.resume();
      await exit;
    });

    it("is killed by nothing that comes in", async () => {
      const { child, client } = start();
      await client.initialize();
      child.stdin.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x7b, 0x0a, 0xc3, 0x0a]));

      for (let line = 0; line < 3; line++)
        expect(await client.refusal()).toMatchObject({ error: { code: -32700 } });
      expect(await client.request("ping")).toHaveProperty("result");
    });
  });
});
