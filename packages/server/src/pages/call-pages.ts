import type { OpenAsk, OpenPageFor, Page, PageFor } from "./types.ts";

/** How long a request waits for pages to be answered, in milliseconds: less than the minute that clients give it. */
export const PAGE_WAIT_MS = 45_000;

/** The pages of one call: one for each time that a question is asked, until the call is over. */
export class CallPages {
  readonly #open: OpenPageFor;
  readonly #call: Omit<PageFor, "question">;
  /** Most calls have none. */
  #pages: Map<string, Promise<Page>> | undefined;

  constructor(open: OpenPageFor, call: Omit<PageFor, "question">) {
    this.#open = open;
    this.#call = call;
  }

  /** The page of a question: the same, however often it is wanted. */
  get(question: OpenAsk): Promise<Page> {
    const name = `${question.key} ${question.attempt}`;
    this.#pages ??= new Map();
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const page = this.#open({ ...this.#call, question });
    this.#pages.set(name, page);
    // Where there can be none now, there may be one the next time.
    page.catch(() => {
      if (this.#pages?.get(name) === page) this.#pages.delete(name);
    });
    return page;
  }

  /** The page of a question, if it was opened here. */
  peek({ key, attempt }: OpenAsk): Promise<Page> | undefined {
    return this.#pages?.get(`${key} ${attempt}`);
  }

  /** Takes away the page of a question, if it was opened here; where it is wanted again, it is another. */
  remove({ key, attempt }: OpenAsk): void {
    const name = `${key} ${attempt}`;
    const page = this.#pages?.get(name);
    this.#pages?.delete(name);
    if (page !== undefined) closeOnceOpen(page);
  }

  /** Takes them away, and with them what was uploaded. */
  close(): void {
    for (const page of this.#pages?.values() ?? []) closeOnceOpen(page);
    this.#pages = undefined;
  }
}

function closeOnceOpen(page: Promise<Page>): void {
  page.then(
    (opened) => opened.close(),
    () => {},
  );
}
