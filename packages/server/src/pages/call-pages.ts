import type { OpenAsk, OpenPageFor, Page, PageFor } from "./types.ts";

/** How long a request waits for pages to be answered. Clients give up on a request after a minute. */
export const PAGE_WAIT_MS = 45_000;

/** The pages of one call: one for each attempt of a question. They are closed with the call. */
export class CallPages {
  readonly #open: OpenPageFor;
  readonly #call: Omit<PageFor, "question">;
  /** Most calls have none. */
  #pages: Map<string, Promise<Page>> | undefined;

  constructor(open: OpenPageFor, call: Omit<PageFor, "question">) {
    this.#open = open;
    this.#call = call;
  }

  /** The page of a question. Opens it with the first call. */
  get(question: OpenAsk): Promise<Page> {
    const name = `${question.key} ${question.attempt}`;
    this.#pages ??= new Map();
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const page = this.#open({ ...this.#call, question });
    this.#pages.set(name, page);
    // A page that was refused may be possible later.
    page.catch(() => {
      if (this.#pages?.get(name) === page) this.#pages.delete(name);
    });
    return page;
  }

  /** The page of a question, if it is open. */
  peek({ key, attempt }: OpenAsk): Promise<Page> | undefined {
    return this.#pages?.get(`${key} ${attempt}`);
  }

  /** Closes the page of a question. `get` then opens another. */
  remove({ key, attempt }: OpenAsk): void {
    const name = `${key} ${attempt}`;
    const page = this.#pages?.get(name);
    this.#pages?.delete(name);
    if (page !== undefined) closeOnceOpen(page);
  }

  /** Closes all pages, and removes their uploads. */
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
