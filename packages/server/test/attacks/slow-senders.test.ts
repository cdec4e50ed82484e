/** Clients that send so slowly that they never end: each would hold a line, and a few thousand all of them. */
import { request, type ClientRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { ask, systemClock, type Clock } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Accounts } from "../../src/accounts.ts";
import { listenOn } from "../../src/http/listen-on.ts";
import { openHttp } from "../../src/http/open-http.ts";
import { patience, patientServer, type Patience } from "../../src/http/patient-server.ts";
import { createServer } from "../../src/index.ts";
import type { Page } from "../../src/pages/page.ts";
import { Pages } from "../../src/pages/pages.ts";
import { settingsFrom } from "../../src/settings.ts";
import { multipart, multipartType } from "../pages/multipart.ts";
import { questionOf } from "../pages/stage.ts";
import { uploadsFolder } from "../pages/uploads-folder.ts";
import { Visitor } from "../pages/visitor.ts";
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

/** A server that looks for those who take too long more often than others do. */
async function quick(
  bounds: Partial<Patience>,
  clock: Clock = systemClock,
): Promise<{ readonly url: string; readonly pages: Pages }> {
  const server = createServer();
  const settings = settingsFrom({ clock });
  const pages: Pages = new Pages(settings, { base: () => listener.url });
  const page = pages.handle.bind(pages);
  const door = openHttp({ open: server.open, accounts: new Accounts(settings.limits), page }, settings, {});
  const { limits } = settings;
  const here = { port: 0, host: "127.0.0.1", clock, limits, patience: { ...patience, every: 10, ...bounds } };
  const listener = await listenOn(door, here);
  onTestFinished(async () => {
    await pages.close();
    await listener.close();
  });
  return { url: listener.url, pages };
}

describe("somebody who sends slowly", () => {
  it("headers is cut off: by the bounds that a server listens with", async () => {
    const { url } = await quick({ headers: 50 });
    const { socket, heard } = lineTo(url);

    socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");

    expect(await heard).toMatch(/^HTTP\/1\.1 408 /);
    expect(patience.headers).toBe(10_000);
  });

  it.each(["/healthz", "/nowhere", "/mcp"])(
    "a body that nobody reads (%s) is cut off when its time is over",
    async (path) => {
      const clock = testClock();
      const { url } = await quick({}, clock);
      const { socket, heard } = lineTo(url);
      const began = clock.now();
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{`);

      while (!socket.closed) {
        await fetch(`${url}/healthz`);
        if (socket.writable) socket.write(" ");
        await clock.advance("30s");
      }

      await heard;
      expect(clock.now() - began).toBeGreaterThanOrEqual(5 * 60_000);
    },
  );

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

describe("a file that takes hours", () => {
  const uploads = uploadsFolder();
  const bytesOnDisk = (): number | undefined => uploads.sizes()[0];
  const CHUNK = 16 * 1024;

  /** Somebody who has opened a page for a file, and has sent the beginning of one. */
  async function begun(clock: Clock): Promise<{
    readonly url: string;
    readonly page: Page;
    readonly sending: ClientRequest;
    readonly answered: Promise<number>;
    readonly end: string;
  }> {
    const { url, pages } = await quick({}, clock);
    const question = questionOf(ask.file("Your film?"));
    const page = await pages.open({ question, server: "acme", tool: "show", principal: "ada" });
    const visitor = new Visitor();
    await visitor.open(page.url);
    const whole = multipart(["proof", visitor.proof], ["do", "accept"], { name: "a.txt", bytes: "!" });
    const cut = whole.indexOf("!");
    const headers = { ...multipartType, cookie: visitor.cookies, origin: url };
    const sending = request(page.url, { method: "POST", headers, agent: false });
    onTestFinished(() => void sending.destroy());
    const answered = new Promise<number>((resolve) => {
      sending.once("error", () => resolve(0));
      sending.once("response", (response) => resolve(response.resume().statusCode ?? 0));
    });
    sending.write(whole.subarray(0, cut));
    return { url, page, sending, answered, end: whole.subarray(cut + 1).toString() };
  }

  it("is taken as long as it comes, where anything else is cut off after five minutes", async () => {
    const clock = testClock();
    const { url, page, sending, answered, end } = await begun(clock);
    const other = lineTo(url);
    other.socket.write("PUT /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{");
    const chunks = 250;
    for (let sent = 1; sent <= chunks; sent += 1) {
      sending.write("x".repeat(CHUNK));
      await vi.waitFor(() => expect(bytesOnDisk()).toBe(sent * CHUNK), { interval: 1 });
      await clock.advance("29s");
    }
    await other.heard;
    sending.end(end);

    expect(await answered).toBe(200);
    expect(await page.reply).toMatchObject({ action: "accept", value: { name: "a.txt" } });
    expect(bytesOnDisk()).toBe(chunks * CHUNK);
  });

  it("is cut off where only a byte comes now and then", async () => {
    const clock = testClock();
    const { sending, answered } = await begun(clock);

    for (let sent = 1; sent <= 3; sent += 1) {
      sending.write("x");
      await vi.waitFor(() => expect(bytesOnDisk()).toBe(sent), { interval: 1 });
      await clock.advance("12s");
    }

    expect(await answered).toBe(408);
  });

  it("is not held to the limit of Node's own, which cannot tell it from what never ends", () => {
    const server = patientServer(() => {}, systemClock);
    onTestFinished(() => void server.close());

    expect(server.requestTimeout).toBe(0);
  });
});
