import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { errorEntry, openLog, type LogEntry, type LogOptions } from "../../src/serve/log.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { connect, networkTransports } from "./mcp-clients.ts";

const noon = (): Date => new Date(2026, 0, 2, 12, 0, 0);

/** What a log writes of these entries. */
async function written(entries: readonly LogEntry[], options: Partial<LogOptions> = {}): Promise<string> {
  const output = new PassThrough();
  const log = openLog(output, {
    level: "info",
    format: "pretty",
    color: false,
    verbose: false,
    now: noon,
    ...options,
  });
  for (const entry of entries) log(entry);
  output.end();
  return text(output);
}

const nasty = "first\n12:00:00 error forged\r\u001B[2J\u009B1A\u202E\u061Ctxt.exe\u2028\tend";

describe("the log of a server", () => {
  it("is one line for each entry from its level on, with the tool it is of", async () => {
    const entries: readonly LogEntry[] = [
      { level: "debug", message: "small" },
      { level: "info", message: "reloaded" },
      { level: "warning", tool: "book", message: "no rooms" },
    ];

    expect(await written(entries)).toBe("12:00:00 info reloaded\n12:00:00 warning book no rooms\n");
    expect(await written(entries, { level: "warning" })).toBe("12:00:00 warning book no rooms\n");
    expect(await written(entries, { level: "debug" })).toContain("debug small");
  });

  it("is a line of JSON for each entry where programs read it", async () => {
    const lines = await written(
      [{ level: "error", tool: "book", message: "no\nrooms", data: { code: "X" } }],
      { format: "json" },
    );

    expect(JSON.parse(lines)).toEqual({
      time: noon().toISOString(),
      level: "error",
      tool: "book",
      message: "no\nrooms",
      code: "X",
    });
  });

  it("has colours only where they are wanted", async () => {
    const entry: LogEntry = { level: "error", message: "broken" };

    expect(await written([entry])).not.toContain("\u001B");
    expect(await written([entry], { color: true })).toContain("\u001B[31merror\u001B[39m broken");
  });

  it.each(["pretty", "json"] as const)(
    "writes out what would begin a line or move the cursor: %s",
    async (format) => {
      const entry: LogEntry = {
        level: "error",
        tool: nasty,
        message: nasty,
        stack: `Error: ${nasty}\n    at here`,
      };
      const lines = await written([entry], { format, verbose: true });

      expect(lines.split("\n").filter((line) => /^(?:12:|\{)/.test(line))).toHaveLength(1);
      for (const character of "\t\r\u001B\u009B\u202E\u061C\u2028") expect(lines).not.toContain(character);
    },
  );

  it("gives programs back what it wrote out", async () => {
    const lines = await written([{ level: "error", tool: nasty, message: nasty }], { format: "json" });

    expect(JSON.parse(lines)).toMatchObject({ tool: nasty, message: nasty });
  });

  it("shows the frames of an error below it, further in, when it is verbose", async () => {
    const entry: LogEntry = {
      level: "error",
      message: "broken",
      stack: "Error: broken\n    at here\n    at there",
    };

    expect(await written([entry])).toBe("12:00:00 error broken\n");
    expect(await written([entry], { verbose: true })).toBe(
      "12:00:00 error broken\n    at here\n    at there\n",
    );
  });

  it("tells of an error by its sentence, and where in the tools' files it was thrown", () => {
    const error = new TypeError("rooms is not iterable");
    error.stack =
      "TypeError: rooms is not iterable\n    at book (/app/node_modules/x/index.js:1:1)\n    at run (/app/web.photon.ts:7:3)\n    at /app/web.photon.ts:9:1";

    expect(errorEntry(error, ["/app/web.photon.ts"]).message).toBe(
      "TypeError: rooms is not iterable (/app/web.photon.ts:7:3)",
    );
    expect(errorEntry(error, []).message).toBe("TypeError: rooms is not iterable");
    expect(errorEntry("thrown as a text", [])).toEqual({ level: "error", message: "thrown as a text" });
  });

  it(
    "has what tools log, and what they throw with the place in the source",
    { timeout: 20_000 },
    async () => {
      const tools = `import { emit, tool } from "@photon/core";
export const chatty = tool({
  async *run() {
    yield emit.log("debug", "a detail");
    yield emit.log("warning", "nearly\\nfull");
    yield emit.log("info", { free: 3 });
    return "done";
  },
});
interface Room { readonly free: number }
export const broken = tool({
  async *run(): AsyncGenerator<never, string> {
    const room: Room | undefined = undefined as Room | undefined;
    return String(room!.free);
  },
});`;
      const server = temporaryFolder({ "web.photon.ts": tools }).start([
        "serve",
        "-t",
        "websocket",
        "--port=0",
      ]);
      const guest = await connect(networkTransports.websocket(await server.url()));

      await guest.call("chatty");
      await guest.call("broken");
      await server.until(/TypeError/);

      const lines = server.stderrLines.all.slice(2).map((line) => line.replace(/^[\d:]+ /, ""));
      expect(lines.slice(0, 2)).toEqual(["warning chatty nearly\\nfull", 'info chatty {"free":3}']);
      expect(lines[2]).toMatch(
        /^error TypeError: Cannot read properties of undefined .*web\.photon\.ts:14:\d+\)$/,
      );
    },
  );
});
