/** Clients that send so slowly that they never end: each would hold a line, and a few thousand all of them. */
import { once } from "node:events";
import {
  createServer as createHttpServer,
  request,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { ask, systemClock, type Clock } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Accounts } from "../../src/accounts.ts";
import { listenOn } from "../../src/app/listen.ts";
import { createHttpApp } from "../../src/app/router.ts";
import {
  defaultTimeouts,
  type RequestTimeouts,
  serverWithTimeouts,
} from "../../src/http/request-timeouts.ts";
import { createServer } from "../../src/index.ts";
import type { Page } from "../../src/pages/page.ts";
import { PageRegistry } from "../../src/pages/page-registry.ts";
import { resolveSettings } from "../../src/settings.ts";
import { multipart, multipartType } from "../pages/multipart.ts";
import { questionOf } from "../pages/stage.ts";
import { uploadsFolder } from "../pages/uploads-folder.ts";
import { Visitor } from "../pages/visitor.ts";

/** A line to a port, what came back so far, and all that came back when it has been closed. */
function lineTo(url: string): {
  readonly socket: Socket;
  readonly soFar: () => string;
  readonly received: Promise<string>;
} {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (part: Buffer) => (text += part.toString()));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => {
    socket.once("close", resolve);
  });
  return { socket, soFar: () => text, received: closed.then(() => text) };
}

/** A server that looks for those who take too long more often than others do. */
async function quick(
  bounds: Partial<RequestTimeouts>,
  clock: Clock = systemClock,
): Promise<{ readonly url: string; readonly pages: PageRegistry }> {
  const server = createServer();
  const settings = resolveSettings({ clock });
  const pages: PageRegistry = new PageRegistry(settings, {
    base: () => new URL(listener.url),
    identification: () => ({}),
  });
  const page = pages.handle.bind(pages);
  const door = createHttpApp(
    { accept: server.open, accounts: new Accounts(settings.limits), page },
    settings,
    {},
  );
  const { limits } = settings;
  const here = {
    port: 0,
    host: "127.0.0.1",
    clock,
    limits,
    timeouts: { ...defaultTimeouts, every: 10, ...bounds },
  };
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
    const { socket, received } = lineTo(url);

    socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");

    expect(await received).toMatch(/^HTTP\/1\.1 408 /);
    expect(defaultTimeouts.headers).toBe(10_000);
  });

  it.each(["/healthz", "/nowhere", "/mcp"])(
    "a body that nobody reads (%s) is cut off when its time is over",
    async (path) => {
      const clock = testClock();
      const { url } = await quick({}, clock);
      const { socket, received } = lineTo(url);
      const began = clock.now();
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{`);

      while (!socket.closed) {
        await fetch(`${url}/healthz`);
        if (socket.writable) socket.write(" ");
        await clock.advance("30s");
      }

      await received;
      expect(clock.now() - began).toBeGreaterThanOrEqual(5 * 60_000);
    },
  );

  describe("a message", () => {
    /** Begins to send a message, and holds the line. */
    async function begun(): Promise<{
      readonly clock: ReturnType<typeof testClock>;
      readonly soFar: () => string;
      readonly received: Promise<string>;
      /** Sends some more, and waits until the server has read it. */
      readonly send: (text: string) => Promise<void>;
      /** Whatever was sent back on the line has come when another client is answered. */
      readonly answerToOther: () => Promise<unknown>;
    }> {
      const clock = testClock();
      const server = createServer({ clock });
      const own = createHttpServer(server.handler).listen(0, "127.0.0.1");
      const arrived = once(own, "request");
      await once(own, "listening");
      onTestFinished(async () => {
        own.close().closeAllConnections();
        await server.close();
      });
      // It listens on a port.
      const { port } = own.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const { socket, soFar, received } = lineTo(url);
      const head = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "Content-Length: 1000",
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n{`);
      // It emits the request that has arrived.
      const [incoming] = (await arrived) as [IncomingMessage];
      // The time counts from when the server reads the body.
      await vi.waitFor(() => expect(incoming.listenerCount("data")).toBe(1), { interval: 1 });
      const send = async (text: string): Promise<void> => {
        const read = once(incoming, "data");
        socket.write(text);
        await read;
      };
      return { clock, soFar, received, send, answerToOther: () => fetch(`${url}/healthz`) };
    }

    it("is told so and cut off after a minute, however often something comes", async () => {
      const { clock, soFar, received, send, answerToOther } = await begun();
      for (let sent = 0; sent < 7; sent += 1) {
        await clock.advance("8s");
        await send(" ");
      }
      await clock.advance("3999ms");
      await answerToOther();
      expect(soFar()).toBe("");

      await clock.advance("1ms");

      await vi.waitFor(() => expect(soFar()).toMatch(/^HTTP\/1\.1 408 /), { interval: 1 });
      await clock.advance("10s");
      await received;
    });

    it("is told so after ten seconds in which nothing comes", async () => {
      const { clock, soFar, answerToOther } = await begun();
      await clock.advance("9999ms");
      await answerToOther();
      expect(soFar()).toBe("");

      await clock.advance("1ms");

      await vi.waitFor(() => expect(soFar()).toMatch(/^HTTP\/1\.1 408 /), { interval: 1 });
    });
  });
});

describe("a file that takes hours", () => {
  const uploads = uploadsFolder();
  const bytesOnDisk = (): number | undefined => uploads.sizes()[0];
  /** What has to come in 30 seconds. */
  const CHUNK = 8 * 1024;

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
    await other.received;
    sending.end(end);

    expect(await answered).toBe(200);
    expect(await page.reply).toMatchObject({ action: "accept", value: { name: "a.txt" } });
    expect(bytesOnDisk()).toBe(chunks * CHUNK);
  });

  it("is cut off where a byte less than 8 KiB comes in 30 seconds", async () => {
    const clock = testClock();
    const { sending, answered } = await begun(clock);

    for (let sent = 1; sent <= 3; sent += 1) {
      sending.write("x".repeat(CHUNK - 1));
      await vi.waitFor(() => expect(bytesOnDisk()).toBe(sent * (CHUNK - 1)), { interval: 1 });
      await clock.advance("29s");
    }

    expect(await answered).toBe(408);
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
    const server = serverWithTimeouts(() => {}, systemClock);
    onTestFinished(() => void server.close());

    expect(server.requestTimeout).toBe(0);
  });
});
