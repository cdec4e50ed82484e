/**
 * The pages of one call on a session: its client sends the person there, and what they answer there is not the client's.
 */
import type { Replies, Reply } from "@photon/core";
import { visitTo } from "../protocol/input-requests.ts";
import type { OpenAsk } from "../pages/page.ts";
import type { RunPages } from "../pages/run-pages.ts";

/** What a visit needs of the client. */
interface Sending {
  /** Asks whether the person will go there, as long as that is wanted. */
  readonly consent: (visit: OpenAsk, signal: AbortSignal) => Promise<Reply>;
  /** Somebody has been where they were sent. */
  readonly tellDone: () => void | Promise<void>;
}

export class PageVisits {
  readonly #pages: RunPages;
  /** The questions that somebody was sent to a page for. */
  readonly #visited = new Set<string>();

  constructor(pages: RunPages) {
    this.#pages = pages;
  }

  /** Sends a person to a page, and waits for what they answer there: what they tell the client is only that they will. */
  async put(question: OpenAsk, signal: AbortSignal, { consent, tellDone }: Sending): Promise<Reply> {
    const page = await this.#pages.of(question);
    const answered = new AbortController();
    const stop = (): void => answered.abort();
    signal.addEventListener("abort", stop, { once: true });
    const consenting = consent(visitTo(question, page.url), answered.signal);
    // Where the page is answered first, nobody waits for the client's word any more.
    consenting.catch(() => {});
    try {
      const said = await Promise.race([page.reply.then(() => undefined), consenting]);
      if (said !== undefined && said.action !== "accept") {
        page.close();
        return said;
      }
      this.#visited.add(question.key);
      const reply = await page.reply;
      // Whoever has declined there has been there, too; a page whose time was over has seen nobody.
      if (reply.action === "accept" || reply.action === "decline") await tellDone();
      return reply;
    } finally {
      stop();
      signal.removeEventListener("abort", stop);
    }
  }

  /** What the client has said itself: where it sent somebody to a page, that it would. */
  saidIn(replies: Replies): Replies {
    return Object.fromEntries(
      Object.entries(replies).map(([key, reply]) => [
        key,
        this.#visited.has(key) ? ({ action: "accept" } as const) : reply,
      ]),
    );
  }

  close(): void {
    this.#pages.close();
  }
}
