import type { OpenQuestion, Reply } from "@photon/core";
import {
  ANYWHERE,
  type InputRequest,
  type Unsupported,
  unsupportedReply,
} from "../protocol/input-requests.ts";
import type { OpenAsk } from "../pages/page.ts";
import { answerTo, type Requests } from "../jsonrpc/outgoing-requests.ts";
import type { RequestId, Wire } from "../jsonrpc/messages.ts";
import type { PageVisits } from "./page-visits.ts";

/** The call that sends a person to a page. */
interface Sender {
  /** What the client answered to whether the person will go there. */
  readonly read: (visit: OpenAsk, result: Wire) => Reply;
  readonly requests: Pick<Requests, "ask" | "takeBack">;
  /** The request of the client's that it answers. */
  readonly about: RequestId;
  /** What the client is asked; `page` is where it would send somebody, `asked` what it is really about. */
  readonly requestFor: (
    question: OpenQuestion,
    page?: string,
    asked?: OpenQuestion,
  ) => InputRequest | Unsupported;
  /** The client has answered. */
  readonly answered: () => void;
  /** Somebody has been where they were sent. */
  readonly tellDone: () => void | Promise<void>;
}

/** Sends a person to the page of a question, by way of the client, and waits for what they answer there. */
export async function sendToPage(
  id: string,
  question: OpenAsk,
  visits: PageVisits,
  wanted: AbortSignal,
  sender: Sender,
): Promise<Reply> {
  const { read, requests, about, requestFor, answered, tellDone } = sender;
  const visit = requestFor(question, ANYWHERE);
  // Before any page is opened: nobody could be sent there.
  if ("unsupported" in visit) return unsupportedReply(visit);
  return visits.put(question, wanted, {
    consent: async (asked, signal) => {
      const request = requestFor(asked, undefined, question);
      if ("unsupported" in request) return unsupportedReply(request);
      const reply = await answerTo({ id, about, ...request }, requests, signal, (result) =>
        read(asked, result),
      );
      answered();
      return reply;
    },
    tellDone,
  });
}
