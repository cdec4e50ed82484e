import type { OpenAsk, Page, PageFor } from "./page.ts";

/** Opens a page for a question of somebody's. */
export type OpenPageFor = (asked: PageFor) => Promise<Page>;

/** Opens a page for a question of one call. */
type OpenPage = (question: OpenAsk) => Promise<Page>;

/** The pages of one call: one for each time that a question is asked, until the call is over. */
export class RunPages {
  readonly #open: OpenPage;
  /** Most calls have none. */
  #pages: Map<string, Promise<Page>> | undefined;

  constructor(open: OpenPage) {
    this.#open = open;
  }

  /** The page of a question: the same, however often it is wanted. */
  of(question: OpenAsk): Promise<Page> {
    const name = `${question.key} ${question.attempt}`;
    this.#pages ??= new Map();
    const page = this.#pages.get(name) ?? this.#open(question);
    this.#pages.set(name, page);
    return page;
  }

  /** The page of a question, if it was opened here. */
  known({ key, attempt }: OpenAsk): Promise<Page> | undefined {
    return this.#pages?.get(`${key} ${attempt}`);
  }

  /** Takes them away, and with them what was uploaded. */
  close(): void {
    for (const page of this.#pages?.values() ?? []) {
      page.then(
        (opened) => opened.close(),
        () => {},
      );
    }
    this.#pages = undefined;
  }
}
