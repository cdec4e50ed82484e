import { answeredEntry, type OpenQuestion, type Reply } from "@photon/core";
import { isForPage } from "../mcp/input-requests.ts";
import type { Ledger } from "./ledger.ts";

/** The reply to a question that counts, once it is in the log: this one, if it is the first. */
export async function countedReply(
  ledger: Ledger,
  question: OpenQuestion,
  reply: Reply,
  at: number,
): Promise<Reply> {
  // What was answered on a page is known to this process only, and stands in no log.
  if (isForPage(question)) return reply;
  const counts = await ledger.settle(answeredEntry(question, reply, at));
  // It was a reply when it was written.
  return counts.reply as Reply;
}
