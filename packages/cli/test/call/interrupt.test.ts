import { ask, emit, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { EventLog } from "../../../../test/clients/event-log.ts";
import { startInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { begin, command, stdioServer, recordingProxy, serve } from "./servers.ts";

/** A tool that works until it is ended, or asks; what happens to it is told. */
function working(told: EventLog<string>): Tool<never>[] {
  const work = tool({
    name: "work",
    async *run(_, { signal }) {
      yield emit.status("Working");
      try {
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        });
      } finally {
        told.add("ended");
      }
    },
  });
  const wait = tool({
    name: "wait",
    async *run() {
      try {
        yield* ask.text("Who?");
      } finally {
        told.add("ended");
      }
    },
  });
  return [work, wait];
}

const lines = [
  { line: "Streamable HTTP of 2026-07-28", path: "http @/mcp", flags: [] },
  { line: "Streamable HTTP of 2025-11-25", path: "http @/mcp", flags: ["--revision", "2025-11-25"] },
  { line: "HTTP+SSE", path: "http @/sse", flags: [] },
  { line: "WebSocket", path: "ws @/mcp", flags: [] },
];

describe("leaving photon call", { timeout: 30_000 }, () => {
  it.each(lines)(verifies("B8", "ends the tool at ctrl+c, over $line"), async ({ path, flags }) => {
    const told = new EventLog<string>();
    const [scheme = "", at = ""] = path.split(" ");
    const url = (await serve({ tools: working(told) })).replace("http", scheme);
    const calling = startInProcess(["call", at.replace("@", url), "work", ...flags], {
      cwd: temporaryFolder().folder,
    });
    await calling.stderrLines.until((line) => /Working/.test(line));
    calling.kill("SIGINT");

    expect(await calling.exitCode).toBe(130);
    expect(calling.stderrLines.all.join("\n")).toContain("The run was interrupted.");
    await told.until((line) => line === "ended");
  });

  it.each(lines)(
    verifies("B8", "cancels the question at ctrl+c, and so the tool, over $line"),
    async ({ path, flags }) => {
      const told = new EventLog<string>();
      const [scheme = "", at = ""] = path.split(" ");
      const url = (await serve({ tools: working(told) })).replace("http", scheme);
      const calling = startInProcess(["call", at.replace("@", url), "wait", ...flags], {
        cwd: temporaryFolder().folder,
      });
      await calling.stderrLines.until((line) => /Who\?/.test(line));
      calling.kill("SIGINT");

      expect(await calling.exitCode).toBe(130);
      expect(calling.stderrLines.all.join("\n")).toContain('The question "Who?" (ask-1) was cancelled.');
      await told.until((line) => line === "ended");
    },
  );

  it.each(["mcp", "sse"])(
    verifies("B8", "tells the server that a call is cancelled before it leaves: /%s"),
    async (path) => {
      const maxRevision = "2025-11-25";
      const { url, methods } = await recordingProxy(
        await serve({ tools: working(new EventLog()), maxRevision }),
      );
      const calling = begin([`${url}/${path}`, "work"]);
      await calling.until(/Working/);
      calling.child.kill("SIGINT");
      await calling.exitCode;

      expect(methods().slice(methods().indexOf("tools/call"))).toEqual([
        "tools/call",
        "notifications/cancelled",
        ...(path === "mcp" ? ["DELETE"] : []),
      ]);
    },
  );

  it(verifies("B2", "lets go of a question that the server takes back"), async () => {
    const hasty = tool({
      name: "hasty",
      async *run() {
        return yield* ask.text("Who?", { timeout: "100ms" });
      },
    });
    const url = await serve({ tools: [hasty] });
    const calling = begin([`${url}/sse`]);

    expect(await calling.exitCode).toBe(1);
    expect(calling.stderr).toBe('?  Who?\nNo answer to "Who?" (ask-1) arrived in time.');
  });

  it("ends a command that it started, at SIGTERM", async () => {
    const calling = begin(["book", "--city", "Rome", ...command(stdioServer)]);
    await calling.until(/How many nights/);
    calling.child.kill("SIGTERM");

    expect(await calling.exitCode).toBe(130);
  });

  it("can be left while it waits for a server to begin", async () => {
    const calling = begin([
      "work",
      "--",
      process.execPath,
      "-e",
      "process.stderr.write('up\\n'); setInterval(() => {}, 1000)",
    ]);
    await calling.until(/up/);
    calling.child.kill("SIGINT");

    expect(await calling.exitCode).toBe(130);
  });
});
