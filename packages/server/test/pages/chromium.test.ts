import { once } from "node:events";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openByKeyboard, rulesBrokenIn, useBrowser } from "./browser.ts";
import { stage } from "./stage.ts";

const { tab: newTab } = useBrowser();

/** A page of another site, until the test is over. */
async function otherSite(body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html", ...headers }).end(`<!doctype html>${body}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  // It listens on a port. By another name it is of another site.
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

describe("in Chromium", () => {
  it(verifies("B6", "a second browser is turned away, with the same address"), async () => {
    const { open } = await stage();
    const page = await open(ask.secret("Password?"));
    const [first, second] = [await newTab(), await newTab()];
    await openByKeyboard(first, page.url);

    await second.goto(page.url);

    await second.getByRole("heading", { name: "Already opened elsewhere" }).waitFor();
    expect(await second.content()).not.toContain("Password?");
    await first.reload();
    await first.getByRole("heading", { name: "Password?" }).waitFor();
  });

  it("a click that is under way when a dangerous question is shown does not answer it", async () => {
    const { open } = await stage();
    const page = await open(ask.confirm("Drop all?", { dangerous: true }));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    const box = await tab.locator("button.danger").boundingBox();
    if (box === null) throw new Error("There is no Yes.");
    // The half second lasts until the test goes on, however long the machine takes.
    const animations = await tab.context().newCDPSession(tab);
    await animations.send("Animation.enable");
    await animations.send("Animation.setPlaybackRate", { playbackRate: 0 });

    await tab.reload();
    await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await tab.getByRole("heading", { name: "Drop all?" }).waitFor();

    await animations.send("Animation.setPlaybackRate", { playbackRate: 1 });
    await tab.getByRole("button", { name: "Yes" }).click();
    expect(await page.reply).toEqual({ action: "accept", value: true });
  });

  it("the browser that holds a page is let in again when another site leads there", async () => {
    const { open } = await stage();
    const page = await open(ask.text("Name?"));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    await tab.goto(await otherSite(`<a href="${page.url}">The question</a>`));

    await tab.getByRole("link", { name: "The question" }).click();
    await tab.getByRole("button", { name: "Continue" }).click();

    await tab.getByRole("textbox", { name: "Name?" }).fill("Ada");
    await tab.getByRole("button", { name: "Send answer" }).click();
    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("a form of another site is refused, and the cookie stays at home", async () => {
    const { open, server } = await stage();
    const page = await open(ask.text("Name?"));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    const proof = await tab.locator("input[name=proof]").first().inputValue();
    const fields = { proof, do: "accept", f0: "Mallory" };
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    await tab.goto(
      await otherSite(
        `<form method="post" action="${page.url}">${inputs.join("")}<button>Win</button></form>`,
      ),
    );
    const cookies: unknown[] = [];
    server.on("request", ({ headers }) => cookies.push(headers.cookie));

    await tab.getByRole("button", { name: "Win" }).click();

    await tab.getByRole("heading", { name: "Sent from another page" }).waitFor();
    expect(cookies).toEqual([undefined]);
  });

  it("a page shows in no frame of another's", async () => {
    const { open } = await stage();
    const page = await open(ask.text("Name?"));
    // The browser says that a rule keeps it out: here, that is as it must be.
    const tab = await (await newTab()).context().newPage();
    await tab.goto(await otherSite(`<iframe src="${page.url}"></iframe>`));

    const frame = tab.frames()[1];

    expect(await frame?.content()).not.toContain("A question is waiting");
  });

  it(verifies("B2", "an answer that comes too late is not taken, and whoever gave it is told"), async () => {
    const clock = testClock();
    const { open } = await stage({ clock });
    const page = await open(ask.text("Name?"), { deadline: clock.now() + 60_000 });
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    await tab.getByRole("textbox").fill("Ada");
    await clock.advance("1m");

    await tab.getByRole("button", { name: "Send answer" }).click();

    await tab.getByText("The time for it is over. Nothing was sent.").waitFor();
    expect(await page.reply).toEqual({ action: "timeout" });
  });

  it("going back after the answer shows that there is nothing left to answer", async () => {
    const { open } = await stage();
    const page = await open(ask.secret("Password?"));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    await tab.getByLabel("Password?").fill("hunter2");
    await tab.getByRole("button", { name: "Send answer" }).click();
    await tab.getByText("Your answer was sent.").waitFor();

    await tab.goBack();

    await tab.getByText("It has been answered already.").waitFor();
    expect(await tab.content()).not.toContain("hunter2");
    expect(tab.url()).not.toContain("hunter2");
  });

  it("whoever uploads far too much is told so", async () => {
    const { open } = await stage();
    const page = await open(ask.file("Photo?", { maxBytes: 1000 }));
    const tab = await newTab();
    await openByKeyboard(tab, page.url);
    const folder = mkdtempSync(join(tmpdir(), "photon-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "photo.png");
    writeFileSync(file, "");
    truncateSync(file, 30_000_000);

    await tab.getByLabel("Photo?").setInputFiles(file);
    await tab.getByRole("button", { name: "Upload file" }).click();

    expect(await tab.locator(".problem").textContent()).toBe("Must have at most 1 kB.");
  });

  it("a page works just the same where code may run", async () => {
    const { open } = await stage();
    const page = await open(
      ask.text("Name?", { default: "</textarea><script>document.title='no'</script>" }),
    );
    const tab = await newTab({ javaScriptEnabled: true });
    await openByKeyboard(tab, page.url);

    expect(await tab.title()).toBe("acme has a question");
    await tab.getByRole("textbox", { name: "Name?" }).fill("Ada");
    await tab.getByRole("button", { name: "Send answer" }).click();

    expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
  });

  it("a page that breaks its rules would be noticed here", async () => {
    const style = `<style>body { color: red }</style>`;
    const url = await otherSite(style, { "content-security-policy": "default-src 'none'" });
    const tab = await (await newTab()).context().newPage();
    const broken = rulesBrokenIn(tab);

    await tab.goto(url);

    await expect.poll(() => broken).toHaveLength(1);
  });

  it("nothing is wider than a narrow screen, whatever is asked", async () => {
    const { open } = await stage();
    const long = "Donaudampfschifffahrtsgesellschaftskapitänsmützenfabrikant".repeat(2);
    const fields = {
      text: ask.text(long, { description: long }),
      moment: ask.date("When?", { time: true }),
      one: ask.select("Which?", [{ value: "a", title: long, description: long }]),
      many: ask.select("Which of many?", [long, ...Array.from("abcdefghij")]),
      some: ask.multiselect("Which ones?", { a: long, b: "B" }),
    };
    const tab = await newTab({ viewport: { width: 320, height: 640 } });
    for (const question of [
      ask.form(long, fields),
      ask.file(long),
      ask.confirm(long, { dangerous: true }),
      ask.url(long, `https://example.com/${long}`),
    ]) {
      await openByKeyboard(tab, (await open(question)).url);

      const { width } = (await tab.locator("html").boundingBox()) ?? {};
      const wide = await tab.evaluate("document.documentElement.scrollWidth");
      expect([width, wide]).toEqual([320, 320]);
    }
  });
});
