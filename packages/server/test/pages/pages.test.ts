import { ask } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { PageRefused } from "../../src/pages/page.ts";
import { stage } from "./stage.ts";
import { Visitor } from "./visitor.ts";

describe("a page", () => {
  it(verifies("B6", "asks one question, and gives back what was answered"), async () => {
    const { open, pages } = await stage();
    const page = await open(ask.text("Who are you?"));
    const visitor = new Visitor();

    const question = await visitor.open(page.url);
    expect(question.status).toBe(200);
    expect(question.text).toContain("Who are you?");
    const done = await visitor.answer(page.url, { f0: "Ada" });

    expect(done.status).toBe(200);
    expect(done.text).toContain("Your answer was sent.");
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
    expect(pages.size).toBe(0);
  });

  it("says who asks, for which tool, and what happens with the answer", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?", { description: "As in your passport." }));

    const { text } = await new Visitor().open(url);

    expect(text).toMatch(/<strong>acme<\/strong> asks you, for its tool\s+<strong>book<\/strong>/);
    expect(text).toContain("As in your passport.");
    expect(text).toContain("The tool gets your answer, and may use it in what it tells the assistant.");
  });

  it("says that a secret goes to the tool only", async () => {
    const { open } = await stage();
    const { url } = await open(ask.secret("Password?"));

    const { text } = await new Visitor().open(url);

    expect(text).toContain("Only the tool gets it. It is not shown to the assistant");
  });

  it("says what was wrong with the last answer, where it is asked again", async () => {
    const { open } = await stage();
    const { url } = await open(ask.number("Nights?"), { attempt: 2, hint: "must be at most 30" });

    const { text } = await new Visitor().open(url);

    expect(text).toContain("The last answer did not fit: it must be at most 30.");
  });

  it("is declined by a button of its own, which sends nothing that was filled in", async () => {
    const { open } = await stage();
    const page = await open(ask.text("Who are you?"));
    const visitor = new Visitor();
    const { text } = await visitor.open(page.url);

    const [form = ""] = /<form id="decline".*?<\/form>/s.exec(text) ?? [];
    expect(form).not.toContain('name="f0"');
    const done = await visitor.post(page.url, { proof: visitor.proof, do: "decline" });

    expect(done.text).toContain("You declined");
    expect(await page.reply).toEqual({ action: "decline" });
  });

  it("is used once: after the answer its address leads nowhere", async () => {
    const { open } = await stage();
    const page = await open(ask.text("Who are you?"));
    const visitor = new Visitor();
    await visitor.open(page.url);
    await visitor.answer(page.url, { f0: "Ada" });

    const [seen, sent] = [await visitor.get(page.url), await visitor.answer(page.url, { f0: "Bob" })];

    expect([seen.status, sent.status]).toEqual([410, 410]);
    expect(sent.text).toContain("It has been answered already.");
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("takes the first of two answers that come at once", async () => {
    const { open } = await stage();
    const page = await open(ask.text("Who are you?"));
    const visitor = new Visitor();
    await visitor.open(page.url);

    const sent = await Promise.all([
      visitor.answer(page.url, { f0: "Ada" }),
      visitor.answer(page.url, { f0: "Bob" }),
    ]);

    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200, 410]));
    const first = sent[0].status === 200 ? "Ada" : "Bob";
    expect(await page.reply).toEqual({ action: "accept", value: first });
  });

  it(verifies("B2", "is over when its time is"), async () => {
    const clock = testClock();
    const { open, pages } = await stage({ clock });
    const page = await open(ask.text("Who are you?"), { deadline: clock.now() + 60_000 });
    const visitor = new Visitor();
    await visitor.open(page.url);

    await clock.advance("1m");

    expect(await page.reply).toEqual({ action: "timeout" });
    expect(pages.size).toBe(0);
    const late = await visitor.answer(page.url, { f0: "Ada" });
    expect(late.status).toBe(410);
    expect(late.text).toContain("The time for it is over.");
  });

  it("waits as long as a question says that has no moment for its end", async () => {
    const clock = testClock();
    const { open } = await stage({ clock });
    const page = await open(ask.text("Who are you?"), { wait: 30_000 });

    await clock.advance("30s");

    expect(await page.reply).toEqual({ action: "timeout" });
  });

  it("is cancelled when it is closed", async () => {
    const { open } = await stage();
    const page = await open(ask.text("Who are you?"));
    const visitor = new Visitor();
    await visitor.open(page.url);

    page.close();

    expect(await page.reply).toEqual({ action: "cancel" });
    expect((await visitor.get(page.url)).text).toContain("The tool no longer waits for an answer.");
  });

  it("is closed with all the others", async () => {
    const { open, pages } = await stage();
    const asked = [await open(ask.text("One?")), await open(ask.text("Two?"))];

    await pages.close();

    expect(await Promise.all(asked.map(({ reply }) => reply))).toEqual([
      { action: "cancel" },
      { action: "cancel" },
    ]);
  });

  it("shows under rules that let nothing in and nothing out", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const { headers } = await new Visitor().open(url);

    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex, nofollow",
    });
  });

  it("has no code", async () => {
    const { open } = await stage();
    const { url } = await open(ask.form("Booking", { name: ask.text("Name"), day: ask.date("Day") }));

    const { text } = await new Visitor().open(url);

    expect(text).not.toMatch(/<script|\son\w+=|javascript:/i);
  });

  it("answers nothing but being looked at and forms", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const { status, headers } = await new Visitor().get(url, {}, "PUT");

    expect(status).toBe(405);
    expect(headers.allow).toBe("GET, HEAD, POST");
  });

  it("lies below the path of its base", async () => {
    const { open, url } = await stage({ base: "http://127.0.0.1:3001/tools/" });

    const page = await open(ask.text("Who are you?"));

    expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:3001\/tools\/ask\/[\w-]{43}$/);
    expect((await new Visitor().get(`${url}/tools/ask/${page.url.slice(-43)}`)).status).toBe(200);
  });

  it("has an address of 256 random bits, of which nothing is repeated", async () => {
    const { open } = await stage();

    const pages = await Promise.all(Array.from({ length: 100 }, () => open(ask.text("Who are you?"))));

    const tokens = pages.map(({ url }) => url.split("/ask/")[1] ?? "");
    expect(tokens.every((token) => Buffer.from(token, "base64url").length === 32)).toBe(true);
    expect(new Set(tokens).size).toBe(100);
  });

  it("is refused where there are as many as there may be", async () => {
    const { open } = await stage({ limits: { pages: 1 } });
    await open(ask.text("One?"));

    const second = open(ask.text("Two?"));

    await expect(second).rejects.toThrow(PageRefused);
    await expect(second).rejects.toThrow(
      "No page can be opened: this server has reached its limit of open pages (1).",
    );
  });

  it("tells nobody what went wrong inside, but for whoever hears reports", async () => {
    const identify = (): never => {
      throw new Error("the directory is down");
    };
    const { open, reported, url } = await stage({ identify, base: "https://photon.example.com" });
    const page = await open(ask.text("Who are you?"));

    const { status, text } = await new Visitor().get(`${url}/ask/${page.url.slice(-43)}`);

    expect(status).toBe(500);
    expect(text).not.toContain("directory");
    expect(reported).toEqual([new Error("the directory is down")]);
  });
});
