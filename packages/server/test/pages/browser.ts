/** A real browser, without code on pages unless a test wants it, in which a page that breaks its own rules fails the test. */
import { chromium, type Browser, type BrowserContextOptions, type Page as Tab } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, vi } from "vitest";
import { findChromium } from "../../../../scripts/find-chromium.mjs";

const QUIET = [
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A browser for the tests of a file. Each tab is of a browser of its own, as far as pages can tell. */
export function useBrowser(): {
  readonly tab: (options?: BrowserContextOptions) => Promise<Tab>;
} {
  let browser: Browser | undefined;
  // A browser takes its time where others work on the same machine.
  vi.setConfig({ testTimeout: 30_000 });
  beforeAll(async () => {
    const executablePath = findChromium();
    if (executablePath === undefined)
      throw new Error("There is no Chromium: node scripts/install-test-tools.mjs");
    const isRoot = process.getuid?.() === 0;
    browser = await chromium.launch({ executablePath, args: isRoot ? [...QUIET, "--no-sandbox"] : QUIET });
  }, 60_000);
  afterAll(() => browser?.close());
  return {
    async tab(options = {}) {
      if (browser === undefined) throw new Error("The browser has not been started.");
      const context = await browser.newContext({ javaScriptEnabled: false, locale: "en-US", ...options });
      const tab = await context.newPage();
      const broken = rulesBrokenIn(tab);
      onTestFinished(async () => {
        await context.close();
        expect(broken).toEqual([]);
      });
      return tab;
    },
  };
}

/** What a browser says of rules that a page has broken, as it says it. */
export function rulesBrokenIn(tab: Tab): readonly string[] {
  const broken: string[] = [];
  tab.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) broken.push(message.text());
  });
  tab.on("pageerror", (error) => broken.push(error.message));
  return broken;
}

/** Goes to a page and opens it, by keyboard. */
export async function openByKeyboard(tab: Tab, url: string): Promise<void> {
  await tab.goto(url);
  await press(tab, "Tab", "Enter");
  await tab.locator("#question").waitFor();
}

/** Presses keys, one after the other. */
export async function press(tab: Tab, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await tab.keyboard.press(key);
}

/** Presses Tab until something has the focus, as somebody does who looks where they are. */
export async function tabTo(tab: Tab, selector: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await press(tab, "Tab");
        return tab.locator(`${selector}:focus`).count();
      },
      { timeout: 10_000 },
    )
    .toBe(1);
}
