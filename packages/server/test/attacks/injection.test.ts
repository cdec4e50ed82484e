/** What a client sends, and a tool says, gets into no header and makes up no entry of a log. */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatLogEntry } from "../../src/settings.ts";
import { listening } from "../wire/servers.ts";
import { echo } from "../wire/tools.ts";

/** Sends bytes as they are, and gives back all that is answered. */
async function exchange(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.on("data", (part: Buffer) => (received += part.toString()));
  socket.on("error", () => {});
  socket.end(text);
  await once(socket, "close");
  return received;
}

describe("a header that breaks its line", () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const post = (extra: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${extra}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it.each([
    ["Mcp-Session-Id: a\r\n\tSet-Cookie: evil=1"],
    ["Mcp-Session-Id: a\nSet-Cookie: evil=1"],
    ["Mcp-Name: a\rSet-Cookie: evil=1"],
    ["MCP-Protocol-Version: 2026-07-28%0d%0aSet-Cookie: evil=1"],
    ["Origin: http://localhost\u0000Set-Cookie: evil=1"],
    ["Last-Event-ID: 1\r\nTransfer-Encoding: chunked"],
  ])("gets into no answer: %j", async (header) => {
    const { url } = await listening({ tools: [echo] });

    const received = await exchange(url, post(header));

    const [head = ""] = received.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(head.toLowerCase()).not.toContain("set-cookie");
  });

  it("is not made of an origin that is let in", async () => {
    const { url } = await listening({ tools: [echo] });

    const received = await exchange(url, post("Origin: http://localhost:1\r\nX: a"));

    const [head = ""] = received.split("\r\n\r\n");
    expect(head).toContain("access-control-allow-origin: http://localhost:1\r\n");
  });
});

describe("an entry on stderr", () => {
  it("is one: nothing in an error begins another line of its own", () => {
    const error = new Error("bad\nError: made up\r\n    at nowhere\u2028Error: made up", {
      cause: { text: "a\nb" },
    });

    const [first = "", ...others] = formatLogEntry(error)
      .trimEnd()
      .split(/[\n\r\u2028]/);

    expect(first).toBe("Error: bad");
    expect(others.every((line) => line.startsWith("    "))).toBe(true);
  });

  it("does nothing to a terminal", () => {
    const entry = formatLogEntry(new Error("\u001B]0;title\u0007\u001B[2J\u009B31m\u202E\u061Cdrawkcab"));

    expect(entry).toContain(String.raw`\u001b]0;title\u0007\u001b[2J\u009b31m\u202e\u061cdrawkcab`);
    for (const unsafe of ["\u001B", "\u0007", "\u009B", "\u202E", "\u061C"])
      expect(entry).not.toContain(unsafe);
  });

  it("keeps its tabs", () => {
    expect(formatLogEntry(new Error("a\tb"))).toContain("Error: a\tb");
  });

  it("shows what is no error as well", () => {
    expect(formatLogEntry("a\nb")).toBe("'a\\nb'\n");
  });
});
