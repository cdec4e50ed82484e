/**
 * The playground in a real browser, as a person meets it.
 *
 *   1. Whatever the console calls an error, an error nobody caught or a broken policy fails the test, in every tab.
 *   2. So does every request to another origin than the server's.
 */
import type { BrowserContextOptions, Page as Tab } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { useBrowser } from "../../packages/server/test/pages/browser.ts";

export interface Visit extends BrowserContextOptions {
  /** What the browser may complain of, where a test breaks something on purpose, or sends somebody elsewhere. */
  readonly mayComplain?: RegExp;
  /** What comes after the server's address: `#tool/set_tempo`. */
  readonly place?: string;
  /** What the page says of its connection when it can be used. */
  readonly says?: string;
}

// Some broken policies are mentioned in the console, and some in this event only. The page's language is not the tests'.
const TELL_VIOLATIONS = `
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
    console.error("Violates", violatedDirective, blockedURI, sample));
`;

/** A browser for the tests of a file. Each visit is with a browser of its own, as far as pages can tell. */
export function usePlayground(): { readonly visit: (url: string, visit?: Visit) => Promise<Tab> } {
  const browser = useBrowser();
  return {
    async visit(url, { mayComplain, place = "", says = "connected", ...options } = {}) {
      const tab = await browser.tab({ javaScriptEnabled: true, ...options });
      // Of the tabs that are opened from it as well: each says what it waits for before the test is over.
      tab.context().setDefaultTimeout(10_000);
      const complaints = complaintsOf(tab, new URL(url).origin);
      onTestFinished(async () => {
        // What the page has said by then has been heard.
        await tab.context().close();
        expect(complaints.filter((complaint) => mayComplain?.test(complaint) !== true)).toEqual([]);
      });
      await tab.context().addInitScript({ content: TELL_VIOLATIONS });
      await tab.goto(`${url}/${place}`);
      await tab.getByRole("banner").getByRole("status").getByText(says, { exact: true }).waitFor();
      return tab;
    },
  };
}

/** What a browser complains of in this tab and in those that are opened from it, as it comes. */
function complaintsOf(tab: Tab, origin: string): readonly string[] {
  const complaints: string[] = [];
  const context = tab.context();
  context.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("request", (request) => {
    const isLocal = /^(data|blob):/.test(request.url());
    if (!isLocal && new URL(request.url()).origin !== origin)
      complaints.push(`A request to ${request.url()}`);
  });
  const watchSockets = (page: Tab): void => {
    page.on("websocket", (socket) => {
      if (new URL(socket.url()).host !== new URL(origin).host)
        complaints.push(`A WebSocket to ${socket.url()}`);
    });
  };
  watchSockets(tab);
  context.on("page", watchSockets);
  return complaints;
}
