/** A picture of the page on which a tool's questions are answered by a person whose client cannot show them. */
import { chromium } from "playwright-core";
import { overStatelessHttp } from "../../clients/carriers.ts";
import { StatelessClient, textOf } from "../../clients/raw-client.ts";
import { Visitor } from "../../../packages/server/test/pages/visitor.ts";
import { findChromium } from "../../../scripts/find-chromium.mjs";

/** Calls a tool without being able to show anything, opens the page it leads to, and takes a picture of it. */
export async function takePicture(tool: string, url: string): Promise<Buffer> {
  const { answer } = await new StatelessClient(overStatelessHttp(url), {}).call(tool);
  const address = /http:\/\/127\.0\.0\.1:\d+\/ask\/[\w-]+/.exec(textOf(answer))?.[0];
  if (address === undefined) throw new Error(`${tool} has led to no page: ${textOf(answer)}`);
  const visitor = new Visitor();
  await visitor.open(address);
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error("There is no Chromium: node scripts/install-test-tools.mjs");
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const options = { locale: "en-US", colorScheme: "light", viewport: { width: 608, height: 800 } } as const;
    const context = await browser.newContext({ ...options, javaScriptEnabled: false });
    const [name = "", value = ""] = visitor.cookies.split("=");
    await context.addCookies([{ name, value, url: address }]);
    const tab = await context.newPage();
    await tab.goto(address);
    await tab.locator("#question").waitFor();
    // The yes to a dangerous question appears after half a second.
    return await tab.locator("main").screenshot({ animations: "disabled" });
  } finally {
    await browser.close();
  }
}
