/** A page: a one-time URL on which a person answers one question. Its types, its limits, and the pages of one call. */
import type { IncomingMessage } from "node:http";
import { PhotonError, type Reply, type Round } from "@photon/core";
import type { Limits } from "../limits.ts";
import type { OpenAsk } from "../protocol/elicitation.ts";

export const asksIn = (round: Round): readonly OpenAsk[] =>
  Object.values(round).filter((question): question is OpenAsk => question.emit === "ask");

/** What a page is opened for. */
export interface PageFor {
  readonly question: OpenAsk;
  /** The name of the server. */
  readonly server: string;
  readonly tool: string;
  /** The principal that is asked. */
  readonly principal: string;
}

export interface Page {
  readonly url: string;
  /** Resolves when the user answers or declines, the question expires (`timeout`) or the page is closed (`cancel`). Never rejects. */
  readonly reply: Promise<Reply>;
  /** Closes the page, and removes the file that was uploaded to it. */
  close(): void;
}

/** How users whose browser is on another machine are identified. */
export interface UserIdentification {
  /** The principal of a request, from the app around the server. */
  readonly identify?:
    | ((request: IncomingMessage) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** The principal of an access token that a user has typed into the page. */
  readonly checkToken?: ((token: string) => string | undefined | Promise<string | undefined>) | undefined;
}

/** Opens a page for a question. Rejects with `PageRefused` if the principal can have none. */
export type OpenPageFor = (pageFor: PageFor) => Promise<Page>;

/** The number of open pages: of one principal, and of all. */
export interface OpenPageCounts {
  readonly own: number;
  readonly all: number;
}

/** Why the limits allow no further page, as a phrase. */
export function pageLimitReason({ own, all }: OpenPageCounts, limits: Limits): string | undefined {
  const { pages, pagesPerPrincipal } = limits;
  if (own >= pagesPerPrincipal) return `you have reached your limit of open pages (${pagesPerPrincipal})`;
  return all >= pages ? `this server has reached its limit of open pages (${pages})` : undefined;
}

/** A question cannot have a page. */
export class PageRefused extends PhotonError {
  readonly code = "PAGE_REFUSED";
  /** Why, as a phrase: "this server has reached its limit of open pages (10)". */
  readonly reason: string;

  constructor(reason: string) {
    super(`No page can be opened: ${reason}.`);
    this.reason = reason;
  }
}

/** How long a request waits for pages to be answered. Clients give up on a request after a minute. */
export const PAGE_WAIT_MS = 45_000;

/** The pages of one call: one for each attempt of a question. They are closed with the call. */
export class CallPages {
  readonly #open: OpenPageFor;
  readonly #call: Omit<PageFor, "question">;
  /** Created with the first page: most calls have none. */
  #pages: Map<string, Promise<Page>> | undefined;

  constructor(open: OpenPageFor, call: Omit<PageFor, "question">) {
    this.#open = open;
    this.#call = call;
  }

  /** The page of a question. The first call opens it. */
  get(question: OpenAsk): Promise<Page> {
    const name = nameOf(question);
    const pages = (this.#pages ??= new Map<string, Promise<Page>>());
    const open = pages.get(name);
    if (open !== undefined) return open;
    const page = this.#open({ ...this.#call, question });
    pages.set(name, page);
    // A page that was refused may be possible later.
    page.catch(() => {
      if (pages.get(name) === page) pages.delete(name);
    });
    return page;
  }

  /** The page of a question, if it is open. */
  peek(question: OpenAsk): Promise<Page> | undefined {
    return this.#pages?.get(nameOf(question));
  }

  /** Closes the page of a question. `get` then opens another. */
  remove(question: OpenAsk): void {
    closeOnceOpen(this.peek(question));
    this.#pages?.delete(nameOf(question));
  }

  /** Closes all pages, and removes their uploads. */
  close(): void {
    for (const page of this.#pages?.values() ?? []) closeOnceOpen(page);
    this.#pages = undefined;
  }
}

const nameOf = ({ key, attempt }: OpenAsk): string => `${key} ${attempt}`;

function closeOnceOpen(page: Promise<Page> | undefined): void {
  page?.then(
    (opened) => opened.close(),
    () => {},
  );
}
