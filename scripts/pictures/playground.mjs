/**
 * Writes docs/images/playground-*.png: screenshots of the playground in its main states. Values that differ in each run,
 * such as ports and tokens, are replaced by fixed ones.
 *
 * Usage: npm run build && node scripts/pictures/playground.mjs [name …]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "../find-chromium.mjs";
import { SCENES } from "./playground-scenes.mjs";
import { FIXED_TIME, startServers } from "./playground-servers.mjs";
import { shrinkPng } from "./shrink-png.mjs";

const images = fileURLToPath(new URL("../../docs/images", import.meta.url));
const SIZE = { width: 1200, height: 760 };

/** Runs in the page: replaces ports, tokens and states by fixed values, and removes times. */
const REPLACE_SCRIPT = String.raw`{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    text.nodeValue = text.nodeValue
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:3001")
      .replaceAll(/\/ask\/[\w-]+/g, "/ask/7rTq0mXw2bKc9dZs4hVuYg")
      .replaceAll(/("requestState": ")[^"]+/g, "$1g2uT9iFvlrBv5nvV4u31fQiKGhac7cYR1n3e4Uztmd")
      .replaceAll(/state=\w+/g, "state=45173b231b12897598b3a2379d94f70d")
      .replaceAll(" · 0 ms", "");
  for (const time of document.querySelectorAll(".entry-time")) time.remove();
}`;

const wanted = process.argv.slice(2);
const scenes = Object.entries(SCENES).filter(([name]) => wanted.length === 0 || wanted.includes(name));

mkdirSync(images, { recursive: true });
const executablePath = findChromium();
if (executablePath === undefined)
  throw new Error("There is no Chromium: node scripts/install-test-tools.mjs");
const servers = await startServers();
// For the same pixels in each run, as far as a browser allows.
const RENDER_FLAGS = [
  "--disable-gpu",
  "--disable-partial-raster",
  "--num-raster-threads=1",
  "--force-color-profile=srgb",
];
const args = process.getuid?.() === 0 ? [...RENDER_FLAGS, "--no-sandbox"] : RENDER_FLAGS;
const browser = await chromium.launch({ executablePath, args });
try {
  for (const [name, scene] of scenes)
    writeFileSync(join(images, `playground-${name}.png`), shrinkPng(await takePicture(scene)));
} finally {
  await browser.close();
  await servers.close();
}

/** @param {import("./playground-scenes.mjs").Scene} scene */
async function takePicture({ hash = "", size = SIZE, dark, folded, inbox, element = "", play }) {
  const context = await browser.newContext({
    locale: "en-GB",
    timezoneId: "Europe/Warsaw",
    viewport: size,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  try {
    await context.clock.setFixedTime(FIXED_TIME);
    const tab = await context.newPage();
    tab.setDefaultTimeout(10_000);
    await tab.goto(`${inbox ? servers.inboxUrl : servers.url}/${hash && `#${hash}`}`);
    await tab.getByText("connected", { exact: true }).waitFor();
    if (folded) await tab.getByRole("button", { name: "Wire" }).click();
    await play(tab);
    await tab.mouse.move(0, 0);
    await tab.evaluate(REPLACE_SCRIPT);
    return element === "" ? await tab.screenshot() : await tab.locator(element).screenshot();
  } finally {
    await context.close();
  }
}
