/** What a page is: its question, URL and reply; and the limits of how many there are. */
import type { IncomingMessage } from "node:http";
import { type OpenQuestion, PhotonError, type Reply, type Round } from "@photon/core";
import type { Limits } from "../limits.ts";

export type OpenAsk = Extract<OpenQuestion, { emit: "ask" }>;

export const asksIn = (round: Round): readonly OpenAsk[] =>
  Object.values(round).filter((question): question is OpenAsk => question.emit === "ask");

/** The question of a page, who asks it, and who is asked. */
export interface PageFor {
  readonly question: OpenAsk;
  readonly server: string;
  readonly tool: string;
  /** The principal that is asked. */
  readonly principal: string;
}

export interface Page {
  readonly url: string;
  /** Resolves when the user answers or declines, the deadline passes (`timeout`) or the page is closed (`cancel`). Never rejects. */
  readonly reply: Promise<Reply>;
  /** Closes the page, and removes the file that was uploaded to it. */
  close(): void;
}

/** How visitors from other machines are identified. */
export interface Identifying {
  /** The principal of a request, from the app around the server. */
  readonly identify?:
    | ((request: IncomingMessage) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** The principal of an access token that a visitor typed into the page. */
  readonly checkToken?: ((token: string) => string | undefined | Promise<string | undefined>) | undefined;
  /** Whether a principal has an access token. Without it, every principal may have one. */
  readonly hasToken?: ((principal: string) => boolean) | undefined;
}

/** Opens a page for a question. Rejects with `PageRefused` where the principal can have none. */
export type OpenPageFor = (asked: PageFor) => Promise<Page>;

/** The number of open pages: of one principal, and of all. */
export interface OpenPages {
  readonly own: number;
  readonly all: number;
}

/** Why the limits allow no further page, as a phrase. */
export function pageLimitReason({ own, all }: OpenPages, limits: Limits): string | undefined {
  const { pages, pagesPerPrincipal } = limits;
  if (own >= pagesPerPrincipal) return `you have reached your limit of open pages (${pagesPerPrincipal})`;
  return all >= pages ? `this server has reached its limit of open pages (${pages})` : undefined;
}

/** A question cannot have a page. */
export class PageRefused extends PhotonError {
  override readonly name = "PageRefused";
  readonly code = "PAGE_REFUSED";
  /** Why, as a phrase: "this server has reached its limit of open pages (10)". */
  readonly reason: string;

  constructor(reason: string) {
    super(`No page can be opened: ${reason}.`);
    this.reason = reason;
  }
}
