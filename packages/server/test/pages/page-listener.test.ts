import { request as httpRequest } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { ask, systemClock, type Clock } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { PortTaken } from "../../src/errors.ts";
import { PageListener, type PageListenerOptions } from "../../src/pages/local-listener.ts";
import type { Page } from "../../src/pages/types.ts";
import { defaultLimits, type Limits } from "../../src/limits.ts";
import { questionOf } from "./stage.ts";
import { Visitor } from "./visitor.ts";

function listener(
  options: PageListenerOptions = {},
  clock: Clock = systemClock,
  limits: Limits = defaultLimits,
): PageListener {
  const made = new PageListener({ clock, report: () => {}, limits }, options);
  onTestFinished(() => made.close());
  return made;
}

const open = (on: PageListener): Promise<Page> =>
  on.open({ question: questionOf(ask.text("Who are you?")), server: "acme", tool: "book", principal: "" });

describe("a server that listens nowhere", () => {
  it(verifies("B6", "listens on loopback with the first page"), async () => {
    const on = listener();
    expect(on.isListening).toBe(false);

    const page = await open(on);
    const visitor = new Visitor();
    await visitor.open(page.url);
    await visitor.answer(page.url, { f0: "Ada" });

    expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ask\//);
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("stops half a minute after the last page, so that who answers twice is told", async () => {
    const clock = testClock();
    const on = listener({}, clock);
    const [one, two] = await Promise.all([open(on), open(on)]);
    expect(new URL(one.url).port).toBe(new URL(two.url).port);

    one.close();
    await clock.advance("1m");
    expect(on.isListening).toBe(true);
    two.close();
    await clock.advance("29s");
    expect((await new Visitor().get(two.url)).status).toBe(410);
    await clock.advance("1s");

    expect(on.isListening).toBe(false);
    await expect(new Visitor().get(two.url)).rejects.toThrow("ECONNREFUSED");
  });

  it("goes on where a page is opened meanwhile, and begins again where it was closed", async () => {
    const clock = testClock();
    const on = listener({}, clock);
    (await open(on)).close();
    await clock.advance("20s");
    const second = await open(on);
    await clock.advance("20s");
    expect((await new Visitor().get(second.url)).status).toBe(200);

    await on.close();
    expect(await second.reply).toEqual({ action: "cancel" });
    expect(on.isListening).toBe(false);

    const third = await open(on);
    expect((await new Visitor().get(third.url)).status).toBe(200);
  });

  it("is reached by the names of the machine only, whatever a name leads to it", async () => {
    const { url } = await open(listener());
    const request = httpRequest(url, { headers: { host: "rebound.evil.example" } }).end();

    const [response] = (await once(request, "response")) as [{ statusCode: number; resume(): void }];
    response.resume();

    expect(response.statusCode).toBe(403);
  });

  it("listens on the port that it is given, or says that it is taken, each time anew", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    // It listens on a port.
    const { port } = other.address() as AddressInfo;
    const on = listener({ port });

    await expect(open(on)).rejects.toThrow(PortTaken);
    expect(on.isListening).toBe(false);
    other.close();
    await once(other, "close");

    expect(new URL((await open(on)).url).port).toBe(String(port));
  });

  it("does not stay where a page was refused", async () => {
    const clock = testClock();
    const on = listener({}, clock, { ...defaultLimits, pages: 0 });

    await expect(open(on)).rejects.toThrow(
      "No page can be opened: this server has reached its limit of open pages (0).",
    );
    await clock.advance("30s");

    expect(on.isListening).toBe(false);
  });
});
