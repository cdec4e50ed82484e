/** Clients that send so slowly that they never end: each would hold a line, and a few thousand all of them. */
import { connect, type Socket } from "node:net";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenOn, patience } from "../../src/http/listen-on.ts";
import { openHttp } from "../../src/http/open-http.ts";
import { createServer } from "../../src/index.ts";
import { settingsFrom } from "../../src/settings.ts";
import { listening } from "../wire/stages.ts";

/** A line to a port, and all that came back when it has been closed. */
function lineTo(url: string): { readonly socket: Socket; readonly heard: Promise<string> } {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (part: Buffer) => (text += part.toString()));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => {
    socket.once("close", resolve);
  });
  return { socket, heard: closed.then(() => text) };
}

describe("somebody who sends slowly", () => {
  it("headers is cut off: by the bounds that a server listens with", async () => {
    const server = createServer();
    const inside = { open: server.open, hasRoom: () => true };
    const door = openHttp(inside, settingsFrom({}), {});
    const bounds = { headersTimeout: 50, requestTimeout: 1000, connectionsCheckingInterval: 10 };
    const listener = await listenOn(door, 0, "127.0.0.1", bounds);
    onTestFinished(() => listener.close());
    const { socket, heard } = lineTo(listener.url);

    socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");

    expect(await heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(patience.headersTimeout).toBe(10_000);
  });

  it("a message is told so and cut off, also where something comes now and then", async () => {
    const clock = testClock();
    const { url } = await listening({ clock });
    const { socket, heard } = lineTo(url);
    const head = [
      "POST /mcp HTTP/1.1",
      "Host: 127.0.0.1",
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      "Content-Length: 1000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n{`);

    while (!socket.closed) {
      // Whatever has come is taken in, then a few seconds go by.
      await fetch(`${url}/healthz`);
      if (socket.writable) socket.write(" ");
      await clock.advance("8s");
    }

    expect(await heard).toMatch(/^HTTP\/1\.1 408 /);
  });
});
