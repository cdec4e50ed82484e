import type { Client, Clock, Replies, Reply, Round } from "@photon/core";
import { withTimeout } from "../util/timers.ts";
import {
  type InputRequest,
  inputRequestFor,
  isForPage,
  type Unsupported,
} from "../protocol/input-requests.ts";
import { PAGE_WAIT_MS, type CallPages } from "../pages/call-pages.ts";
import type { Features } from "../protocol/revisions.ts";
import { type OpenAsk, PageRefused } from "../pages/types.ts";

/**
 * The same replies, with what was answered on pages in the place of a consent to go there; nothing, where they say
 * nothing of a page. A question without an answer in time is asked again.
 */
export function awaitPageAnswers(
  replies: Replies,
  round: Round,
  pages: CallPages | undefined,
  clock: Clock,
): Promise<Replies> | undefined {
  for (const key in replies) {
    const question = round[key];
    if (question !== undefined && isForPage(question)) return answeredThere(replies, round, pages, clock);
  }
  return undefined;
}

async function answeredThere(
  replies: Replies,
  round: Round,
  pages: CallPages | undefined,
  clock: Clock,
): Promise<Replies> {
  const said: Record<string, Reply> = { ...replies };
  // All at once: a request waits for several no longer than for one.
  await Promise.all(
    Object.entries(round).map(async ([key, question]) => {
      const reply = said[key];
      if (reply === undefined || !isForPage(question)) return;
      const page = await pages?.peek(question);
      if (reply.action !== "accept") return page?.close();
      const answered = page && (await withTimeout(page.reply, clock, PAGE_WAIT_MS));
      if (answered === undefined) delete said[key];
      else said[key] = answered;
    }),
  );
  return said;
}

/** What sends a person to the page of a question; why there can be none, otherwise. */
export async function pageRequest(
  pages: CallPages,
  question: OpenAsk,
  can: Client["can"],
  features: Features,
): Promise<InputRequest | Unsupported> {
  try {
    const { url } = await pages.get(question);
    return inputRequestFor(question, can, features, question.key, url);
  } catch (error) {
    if (error instanceof PageRefused) return { unsupported: error.reason };
    throw error;
  }
}
