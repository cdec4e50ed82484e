/** A page for one question, as whoever asks sees it. */
import type { IncomingMessage } from "node:http";
import { PhotonError, type OpenQuestion, type Reply } from "@photon/core";

export type OpenAsk = Extract<OpenQuestion, { emit: "ask" }>;

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
}

/** There can be no page for a question. */
export class PageRefused extends PhotonError {
  override readonly name = "PageRefused";
  readonly code = "PAGE_REFUSED";
}
