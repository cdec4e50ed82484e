/** A page for one question, as whoever asks sees it. */
import type { IncomingMessage } from "node:http";
import { type OpenQuestion, PhotonError, type Reply, type Round } from "@photon/core";
import type { Limits } from "../limits.ts";

export type OpenAsk = Extract<OpenQuestion, { emit: "ask" }>;

export const asksIn = (round: Round): readonly OpenAsk[] =>
  Object.values(round).filter((question): question is OpenAsk => question.emit === "ask");

/** What is asked, by whom, and of whom. */
export interface PageFor {
  readonly question: OpenAsk;
  readonly server: string;
  readonly tool: string;
  /** Who was asked. */
  readonly principal: string;
}

export interface Page {
  readonly url: string;
  /** Settles when the person answered or declined, the time was over (`timeout`) or the page was closed (`cancel`). Never rejects. */
  readonly reply: Promise<Reply>;
  /** Takes the page away, and with it the file that was uploaded to it. */
  close(): void;
}

/** How those who come from elsewhere say who they are. */
export interface Identifying {
  /** Who sent a request, as the program around the server knows it; nobody where it does not. */
  readonly identify?:
    | ((request: IncomingMessage) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Whose access token it is, which a person has typed into the page; nobody's where it is none. */
  readonly checkToken?: ((token: string) => string | undefined | Promise<string | undefined>) | undefined;
  /** Whether somebody has an access token at all; they may, where this is not said. */
  readonly hasToken?: ((principal: string) => boolean) | undefined;
}

/** Where pages are opened for a server's questions. */
export interface PageHost {
  /** Opens a page for a question of somebody's. Rejects with `PageRefused` where there can be none. */
  readonly open: OpenPageFor;
  /** Why there can never be a page for somebody, as a phrase; nothing, where there can. */
  readonly unavailableReason: (principal: string) => string | undefined;
  /** The same, or that as many pages are open as the limits allow. */
  readonly unavailableNowReason: (principal: string) => string | undefined;
}

/** Opens a page for a question of somebody's. */
export type OpenPageFor = (asked: PageFor) => Promise<Page>;

/** How many pages are open: for one principal, and for all. */
export interface OpenPages {
  readonly own: number;
  readonly all: number;
}

/** Why the limits allow no further page, as a phrase; nothing, where they do. */
export function pageLimitReason({ own, all }: OpenPages, limits: Limits): string | undefined {
  const { pages, pagesPerPrincipal } = limits;
  if (own >= pagesPerPrincipal) return `you have reached your limit of open pages (${pagesPerPrincipal})`;
  return all >= pages ? `this server has reached its limit of open pages (${pages})` : undefined;
}

/** There can be no page for a question. */
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
