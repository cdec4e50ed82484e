/**
 * Makes docs/images/playground-*.png: the playground in a browser, in its main states. Nothing in them is drawn by hand;
 * only what is different each time, such as ports and tokens, is written over.
 *
 * Usage: npm run build && node scripts/pictures/playground.mjs [name …]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "../find-chromium.mjs";
import { SCENES } from "./playground-scenes.mjs";
import { MOMENT, openStage } from "./playground-stage.mjs";
import { shrinkPng } from "./shrink-png.mjs";

const images = fileURLToPath(new URL("../../docs/images", import.meta.url));
const SIZE = { width: 1200, height: 760 };

/** For the page: whatever is made by chance is always the same, and no time is told that does not pass. */
const WRITE_OVER = String.raw`{
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let word = words.nextNode(); word !== null; word = words.nextNode())
    word.nodeValue = word.nodeValue
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
const stage = await openStage();
// The same pixels each time, as far as a browser can.
const STEADY = [
  "--disable-gpu",
  "--disable-partial-raster",
  "--num-raster-threads=1",
  "--force-color-profile=srgb",
];
const args = process.getuid?.() === 0 ? [...STEADY, "--no-sandbox"] : STEADY;
const browser = await chromium.launch({ executablePath, args });
try {
  for (const [name, scene] of scenes)
    writeFileSync(join(images, `playground-${name}.png`), shrinkPng(await take(scene)));
} finally {
  await browser.close();
  await stage.close();
}

/** @param {import("./playground-scenes.mjs").Scene} scene */
async function take({ place = "", size = SIZE, dark, folded, kept, of = "", play }) {
  const context = await browser.newContext({
    locale: "en-GB",
    timezoneId: "Europe/Warsaw",
    viewport: size,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  try {
    await context.clock.setFixedTime(MOMENT);
    const tab = await context.newPage();
    tab.setDefaultTimeout(10_000);
    await tab.goto(`${kept ? stage.keptUrl : stage.url}/${place && `#${place}`}`);
    await tab.getByText("connected", { exact: true }).waitFor();
    if (folded) await tab.getByRole("button", { name: "Wire" }).click();
    await play(tab);
    await tab.mouse.move(0, 0);
    await tab.evaluate(WRITE_OVER);
    return of === "" ? await tab.screenshot() : await tab.locator(of).screenshot();
  } finally {
    await context.close();
  }
}
