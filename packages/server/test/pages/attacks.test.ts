import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { ask } from "@photon/core";
import { testClock } from "@photon/core/testing";
import express from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Page } from "../../src/pages/page.ts";
import { questionOf, stage } from "./stage.ts";
import { Visitor, type Headers } from "./visitor.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

async function opened(message = "Who are you?"): Promise<{ readonly page: Page; readonly visitor: Visitor }> {
  const { open } = await stage();
  const page = await open(ask.text(message));
  const visitor = new Visitor();
  await visitor.open(page.url);
  return { page, visitor };
}

describe("a form from elsewhere", () => {
  it.each<[string, Headers]>([
    ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["another site, in a browser that says no more", { origin: "https://evil.example" }],
    ["a page without an origin", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
    ["a name that only begins like ours", { origin: "http://127.0.0.1.evil.example" }],
  ])("is refused: %s", async (_, headers) => {
    const { page, visitor } = await opened();
    const body = `proof=${visitor.proof}&do=accept&f0=Mallory`;

    const { status } = await visitor.send(page.url, body, {
      ...FORM,
      ...headers,
      "sec-fetch-site": headers["sec-fetch-site"] ?? "none",
    });

    expect(status).toBe(403);
    await visitor.answer(page.url, { f0: "Ada" });
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("is refused where nothing says where it is from", async () => {
    const { page, visitor } = await opened();
    const request = {
      method: "POST",
      headers: { ...FORM, cookie: visitor.cookies },
      body: `proof=${visitor.proof}&do=decline`,
    };

    const { status } = await fetch(page.url, request);

    expect(status).toBe(403);
  });

  it("is refused without the proof that the page gave", async () => {
    const { page, visitor } = await opened();

    const sent = [
      await visitor.post(page.url, { do: "accept", f0: "Mallory" }),
      await visitor.post(page.url, { do: "decline", proof: "" }),
      await visitor.post(page.url, { do: "accept", f0: "Mallory", proof: `${visitor.proof}x` }),
    ];

    expect(sent.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it("opens no page", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const pressed = await new Visitor().post(
      url,
      { do: "open" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    );

    expect(pressed.status).toBe(403);
    expect(pressed.headers["set-cookie"]).toBeUndefined();
    expect((await new Visitor().open(url)).status).toBe(200);
  });
});

describe("guessing", () => {
  it("is stopped soon, and stops nobody who knows an address", async () => {
    const clock = testClock();
    const { open, url } = await stage({ clock });
    const page = await open(ask.text("Who are you?"));
    const guess = async (): Promise<number> =>
      (await new Visitor().get(`${url}/ask/${"A".repeat(43)}`)).status;
    const statuses: number[] = [];
    for (let guesses = 0; guesses < 21; guesses++) statuses.push(await guess());

    expect(statuses.slice(0, 20).every((status) => status === 404)).toBe(true);
    expect(statuses[20]).toBe(429);
    expect((await new Visitor().get(page.url)).status).toBe(200);
    await clock.advance("1m");
    expect(await guess()).toBe(404);
  });

  it("at one page is stopped as well", async () => {
    const clock = testClock();
    const { open } = await stage({ clock });
    const { url } = await open(ask.text("Who are you?"));
    const visitor = new Visitor();
    await visitor.open(url);
    const guess = async (): Promise<number> =>
      (await visitor.post(url, { proof: "guess", do: "accept", f0: "Mallory" })).status;
    for (let guesses = 0; guesses < 30; guesses++) await guess();

    expect(await guess()).toBe(429);
    await clock.advance("1m");
    expect((await visitor.answer(url, { f0: "Ada" })).status).toBe(200);
  });

  it("by somebody who was given the address keeps nobody from answering who holds the page", async () => {
    const { page, visitor } = await opened();
    const stranger = new Visitor();
    const statuses: number[] = [];
    for (let guesses = 0; guesses < 31; guesses++)
      statuses.push((await stranger.post(page.url, { proof: "guess", do: "accept" })).status);

    expect(statuses[30]).toBe(429);
    expect((await visitor.answer(page.url, { f0: "Ada" })).status).toBe(200);
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("finds nothing near an address", async () => {
    const { open, url } = await stage();
    const token = (await open(ask.text("Who are you?"))).url.slice(-43);
    const near = [
      "/ask/",
      `/ask/${token}/`,
      `/ask/${token}x`,
      `/ask/${token.slice(1)}`,
      `/ask/${token}%00`,
      "/ask/__proto__",
    ];

    const statuses = await Promise.all(
      near.map(async (path) => (await new Visitor().get(url + path)).status),
    );

    expect(new Set(statuses)).toEqual(new Set([404]));
  });
});

describe("a body", () => {
  it.each([
    ["that is compressed", gzipSync("f0=Ada"), { ...FORM, "content-encoding": "gzip" }, 415],
    ["of another type", Buffer.from("{}"), { "content-type": "application/json" }, 415],
    ["of no type", Buffer.from("f0=Ada"), {}, 415],
    [
      "with a file, where none is asked for",
      Buffer.from("a"),
      { "content-type": "multipart/form-data; boundary=a" },
      415,
    ],
    ["that is too large", Buffer.alloc(1_100_000, "a"), FORM, 413],
    [
      "that is too large and does not say so",
      Buffer.alloc(1_100_000, "a"),
      { ...FORM, "transfer-encoding": "chunked" },
      413,
    ],
  ])("is refused %s", async (_, body, headers, expected) => {
    const { page, visitor } = await opened();

    const { status } = await visitor.send(page.url, body, headers);

    expect(status).toBe(expected);
  });

  it("before a page is opened is small", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const { status } = await new Visitor().post(url, { do: "open", more: "a".repeat(20_000) });

    expect(status).toBe(413);
  });

  it("of a hundred thousand fields is read like any other", async () => {
    const { page, visitor } = await opened();

    await visitor.send(page.url, `${"f0=a&".repeat(100_000)}proof=${visitor.proof}&do=accept`, FORM);

    expect(await page.reply).toEqual({ action: "accept", value: "a" });
  });
});

describe("somebody who sends slowly", () => {
  /** Begins to send a form, and holds the line. */
  async function dawdle(): Promise<{
    readonly clock: ReturnType<typeof testClock>;
    readonly closed: Promise<unknown>;
    readonly received: () => string;
    readonly send: (text: string) => Promise<void>;
  }> {
    const clock = testClock();
    const { open, server } = await stage({ clock });
    const { url } = await open(ask.text("Who are you?"));
    const { port, host, pathname, origin } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const closed = once(socket, "close");
    let received = "";
    socket.on("data", (part: Buffer) => (received += part.toString()));
    const arrived = once(server, "request");
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n`;
    socket.write(head);
    // It emits the request that has arrived.
    const [request] = (await arrived) as [IncomingMessage];
    let sent = head.length;
    return {
      clock,
      closed,
      received: () => received,
      async send(text) {
        socket.write(text);
        sent += text.length;
        await vi.waitFor(() => expect(request.socket.bytesRead).toBe(sent));
      },
    };
  }

  it("is cut off when nothing comes for ten seconds", async () => {
    const { clock, closed, received, send } = await dawdle();
    await send("do=");

    await clock.advance("10s");

    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("is cut off after a minute, however often something comes", async () => {
    const { clock, closed, received, send } = await dawdle();
    for (let step = 0; step < 7; step++) {
      await send("a");
      await clock.advance("8s");
    }
    expect(received()).toBe("");

    await clock.advance("4s");

    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe("somebody who goes on sending what was refused", () => {
  it("is listened to for ten seconds, and cut off", async () => {
    const clock = testClock();
    const { open } = await stage({ clock });
    const { url } = await open(ask.text("Who are you?"));
    const { port, host, pathname, origin } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
    );
    const closed = once(socket, "close");
    const [received] = (await once(socket, "data")) as [Buffer];
    expect(received.toString()).toMatch(/^HTTP\/1\.1 415 /);

    await clock.advance("10s");

    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

describe("what a tool writes", () => {
  const evil = `<script>alert(1)</script><img src=x onerror=alert(1)>" autofocus onfocus='alert(1)`;

  it("is text, wherever it stands", async () => {
    const { pages } = await stage();
    const form = ask.form(
      evil,
      {
        [evil]: ask.text(evil, { description: evil, default: evil }),
        one: ask.select(evil, [{ value: evil, title: evil, description: evil }]),
        some: ask.multiselect(evil, [{ value: evil, title: evil }]),
        many: ask.select("Many", [evil, ...Array.from("abcdefghij")]),
      },
      { description: evil },
    );
    const question = questionOf(form, { key: evil, attempt: 2, hint: evil });
    const { url } = await pages.open({ question, server: evil, tool: evil, principal: "" });

    const { text } = await new Visitor().open(url);

    expect(text).not.toMatch(/<script|<img/);
    // Every attribute is one of ours: none begins behind a quotation mark of the tool's.
    expect(text.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(?:onfocus|onerror)=/);
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("cannot turn the direction of the text, nor hide in control characters", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Pay \u202E0001\u202C € to \u001B[31mBob\u0007\u0000?"));

    const { text } = await new Visitor().open(url);

    expect(text).toContain("Pay 0001 € to [31mBob?");
  });

  it("is bounded, and scrolls by keyboard too", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("a".repeat(50_000)));

    const { text } = await new Visitor().open(url);

    expect(text).toContain("… (30000 characters more)");
    expect(text).toMatch(/<div class="text long" dir="auto"\s+tabindex="0" role="region"/);
    expect(text.length).toBeLessThan(40_000);
  });

  it("gets into no header", async () => {
    const { pages } = await stage();
    const name = "acme\r\nSet-Cookie: evil=1";
    const question = questionOf(ask.text("Who?"));
    const { url } = await pages.open({ question, server: name, tool: name, principal: name });
    const visitor = new Visitor();
    await visitor.get(url);

    const { headers } = await visitor.post(url, { do: "open" });

    expect(headers.location).toBe(url.slice(-43));
    expect(headers["set-cookie"]).toHaveLength(1);
    expect(JSON.stringify(headers)).not.toContain("evil");
  });
});

describe("names that every object knows", () => {
  const form = ask.form("Which?", {
    constructor: ask.text("Constructor"),
    toString: ask.optional(ask.text("To string")),
    hasOwnProperty: ask.optional(ask.number("Has own")),
  });

  it("are fields like any others, and change nothing", async () => {
    const { open } = await stage();
    const page = await open(form);
    const visitor = new Visitor();
    await visitor.open(page.url);

    await visitor.answer(page.url, {
      f0: "Ada",
      ["__proto__"]: "x",
      "__proto__[polluted]": "x",
      "constructor[prototype][polluted]": "x",
      "f0[__proto__]": "x",
      prototype: "x",
    });

    const reply = await page.reply;
    expect(reply).toEqual({ action: "accept", value: { constructor: "Ada" } });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("are so behind the parser of an app as well", async () => {
    const { open, server, pages } = await stage();
    const app = express().use(express.urlencoded({ extended: true }));
    app.use("/ask", (request, response) => void pages.handle(request, response));
    server.removeAllListeners("request").on("request", app);
    const page = await open(form);
    const visitor = new Visitor();
    await visitor.open(page.url);

    await visitor.answer(page.url, { f0: "Ada", "__proto__[polluted]": "x", "f1[a]": "x", f2: ["1", "2"] });

    expect(await page.reply).toEqual({ action: "accept", value: { constructor: "Ada", hasOwnProperty: 1 } });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
