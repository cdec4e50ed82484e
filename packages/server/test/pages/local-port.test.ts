import { request as httpRequest, Server } from "node:http";
import { once } from "node:events";
import { ask, systemClock, type Clock } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { PageHost } from "../../src/pages/page-host.ts";
import type { Page } from "../../src/pages/page.ts";
import { defaultLimits, type Limits } from "../../src/limits.ts";
import { questionOf } from "./stage.ts";
import { Visitor } from "./visitor.ts";

/** A server without endpoints: on stdio. */
function host(clock: Clock = systemClock, limits: Limits = defaultLimits): PageHost {
  const made = new PageHost({ clock, report: () => {}, limits }, {});
  onTestFinished(() => made.close());
  return made;
}

const open = (on: PageHost): Promise<Page> =>
  on.open({ question: questionOf(ask.text("Who are you?")), server: "acme", tool: "book", principal: "" });

const statusOf = async ({ url }: Page): Promise<number> => (await new Visitor().get(url)).status;

/** Whether the port of a page is open. */
const isListening = (page: Page): Promise<boolean> =>
  statusOf(page).then(
    () => true,
    () => false,
  );

describe("a server that listens nowhere", () => {
  it(verifies("B6", "listens on loopback with the first page"), async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => void vi.restoreAllMocks());
    const on = host();
    expect(listen).not.toHaveBeenCalled();

    const page = await open(on);
    const visitor = new Visitor();
    await visitor.open(page.url);
    await visitor.answer(page.url, { f0: "Ada" });

    expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ask\//);
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("stops half a minute after the last page, so that who answers twice is told", async () => {
    const clock = testClock();
    const on = host(clock);
    const [one, two] = await Promise.all([open(on), open(on)]);
    expect(new URL(one.url).port).toBe(new URL(two.url).port);

    one.close();
    await clock.advance("1m");
    expect(await isListening(one)).toBe(true);
    two.close();
    await clock.advance("29s");
    expect(await statusOf(two)).toBe(410);
    await clock.advance("1s");

    await expect(statusOf(two)).rejects.toThrow("ECONNREFUSED");
  });

  it("goes on where a page is opened meanwhile, and begins again where it was closed", async () => {
    const clock = testClock();
    const on = host(clock);
    (await open(on)).close();
    await clock.advance("20s");
    const second = await open(on);
    await clock.advance("20s");
    expect(await statusOf(second)).toBe(200);

    await on.close();
    expect(await second.reply).toEqual({ action: "cancel" });
    expect(await isListening(second)).toBe(false);

    const third = await open(on);
    expect(await statusOf(third)).toBe(200);
  });

  it("is reached by the names of the machine only, whatever a name leads to it", async () => {
    const { url } = await open(host());
    const request = httpRequest(url, { headers: { host: "rebound.evil.example" } }).end();

    const [response] = (await once(request, "response")) as [{ statusCode: number; resume(): void }];
    response.resume();

    expect(response.statusCode).toBe(403);
  });

  it("refuses a page where it cannot listen, and tries again for the next", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => void vi.restoreAllMocks());
    listen.mockImplementationOnce(function (this: Server) {
      process.nextTick(() => this.emit("error", new Error("EMFILE")));
      return this;
    });
    const on = host();

    await expect(open(on)).rejects.toThrow("EMFILE");

    expect(await statusOf(await open(on))).toBe(200);
  });

  it("does not listen where a page was refused", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => void vi.restoreAllMocks());
    const on = host(systemClock, { ...defaultLimits, pages: 0 });

    await expect(open(on)).rejects.toThrow(
      "No page can be opened: this server has reached its limit of open pages (0).",
    );

    expect(listen).not.toHaveBeenCalled();
  });

  it("counts its pages, and those at the address of the server, for one limit", async () => {
    const on = host(systemClock, { ...defaultLimits, pages: 1 });
    await open(on);
    on.addEndpoint({ url: "http://127.0.0.1:3000" });

    await expect(open(on)).rejects.toThrow("this server has reached its limit of open pages (1)");
  });

  it("counts pages that are being opened: two at once are not more than the limit", async () => {
    const on = host(systemClock, { ...defaultLimits, pages: 1 });

    const [first, second] = await Promise.allSettled([open(on), open(on)]);

    expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  });
});
