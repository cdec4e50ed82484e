/**
 * The pages of one call on a session: its client sends the person there, and what they answer there is not the client's.
 */
import type { OpenQuestion, Replies, Reply } from "@photon/core";
import {
  ANYWHERE,
  type InputRequest,
  type Unsupported,
  unsupportedReply,
  visitTo,
} from "../protocol/input-requests.ts";
import type { OpenAsk } from "../pages/types.ts";
import type { CallPages } from "../pages/call-pages.ts";
import { requestWithSignal, type OutgoingRequests } from "../jsonrpc/outgoing-requests.ts";
import type { RequestId, JsonObject } from "../jsonrpc/messages.ts";

/** What a visit needs of the client. */
interface PageSender {
  /** Asks whether the person will go there, as long as that is wanted. */
  readonly consent: (visit: OpenAsk, signal: AbortSignal) => Promise<Reply>;
  /** The user has answered on the page. */
  readonly tellDone: () => void | Promise<void>;
}

export class PageElicitations {
  readonly #pages: CallPages;
  /** The keys of questions for which the user was sent to a page. */
  readonly #visited = new Set<string>();

  constructor(pages: CallPages) {
    this.#pages = pages;
  }

  /** Sends a person to a page, and waits for what they answer there: what they tell the client is only that they will. */
  async put(question: OpenAsk, signal: AbortSignal, { consent, tellDone }: PageSender): Promise<Reply> {
    const page = await this.#pages.get(question);
    const answered = new AbortController();
    const stop = (): void => answered.abort();
    signal.addEventListener("abort", stop, { once: true });
    const consenting = consent(visitTo(question, page.url), answered.signal);
    // Where the page is answered first, the consent is not needed any more.
    consenting.catch(() => {});
    try {
      const said = await Promise.race([page.reply.then(() => undefined), consenting]);
      if (said !== undefined && said.action !== "accept") {
        page.close();
        return said;
      }
      this.#visited.add(question.key);
      const reply = await page.reply;
      // A user who declined on the page has been there, too.
      if (reply.action === "accept" || reply.action === "decline") await tellDone();
      return reply;
    } finally {
      stop();
      signal.removeEventListener("abort", stop);
    }
  }

  /** What the client has said itself: for a page, that the user would go there. */
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

/** The call that sends a person to a page. */
interface Sender {
  /** What the client answered to whether the person will go there. */
  readonly read: (visit: OpenAsk, result: JsonObject) => Reply;
  readonly requests: Pick<OutgoingRequests, "send" | "cancel">;
  /** The request of the client's that it answers. */
  readonly about: RequestId;
  /** What the client is asked; `page` is the address for the user, `asked` the question that is answered there. */
  readonly requestFor: (
    question: OpenQuestion,
    page?: string,
    asked?: OpenQuestion,
  ) => InputRequest | Unsupported;
  /** The client has answered. */
  readonly answered: () => void;
  /** The user has answered on the page. */
  readonly tellDone: () => void | Promise<void>;
}

/** Sends a person to the page of a question, by way of the client, and waits for what they answer there. */
export async function sendToPage(
  id: string,
  question: OpenAsk,
  visits: PageElicitations,
  wanted: AbortSignal,
  sender: Sender,
): Promise<Reply> {
  const { read, requests, about, requestFor, answered, tellDone } = sender;
  const visit = requestFor(question, ANYWHERE);
  // Before any page is opened: the client could not send the user there.
  if ("unsupported" in visit) return unsupportedReply(visit);
  return visits.put(question, wanted, {
    consent: async (asked, signal) => {
      const request = requestFor(asked, undefined, question);
      if ("unsupported" in request) return unsupportedReply(request);
      const reply = await requestWithSignal({ id, about, ...request }, requests, signal, (result) =>
        read(asked, result),
      );
      answered();
      return reply;
    },
    tellDone,
  });
}
