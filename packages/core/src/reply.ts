/** Replies from outside: which are legal at all, and how a journal holds them. */
import { answerAsJson, defined, isPlainObject, type Json } from "./util/json.ts";
import type { Question, Replies, Reply } from "./effects.ts";
import { IllegalReply } from "./errors.ts";
import { toBase64 } from "./util/platform.ts";
import { show } from "./util/describe-value.ts";

const ACTIONS = new Set(["accept", "decline", "cancel", "timeout", "unsupported"]);

/** Lets legal replies through; throws for the first that is none. Whether an answer fits is not looked at here. */
export function checkReplies(replies: unknown): Replies {
  if (!isPlainObject(replies)) throw new IllegalReply("a round", `${show(replies)} is no record of replies`);
  for (const [key, reply] of Object.entries(replies)) {
    if (!isPlainObject(reply)) throw new IllegalReply(key, `${show(reply)} is no { action, value? }`);
    if (typeof reply["action"] !== "string" || !ACTIONS.has(reply["action"])) {
      throw new IllegalReply(
        key,
        `its action is ${show(reply["action"])}; it may be ${[...ACTIONS].join(", ")}`,
      );
    }
  }
  // Every reply was looked at.
  return replies as Replies;
}

/**
 * A reply as a journal can hold it: what was accepted, as JSON. Bytes become base64 where the question can be answered
 * with some. A value that comes with any other action is nobody's business, least of all where a secret was asked for.
 */
export function replyJson(reply: Reply, question: Question): Reply & { readonly [name: string]: Json } {
  const { action } = reply;
  if (action === "unsupported") return defined({ action, reason: textOf(reply.reason) });
  if (action === "decline" || action === "cancel") return defined({ action, note: textOf(reply.note) });
  if (action !== "accept") return { action };
  const hasBytes = question.emit === "sample" || (question.emit === "ask" && question.ask === "file");
  return defined({ action, value: answerAsJson(reply.value, hasBytes ? toBase64 : nothing) });
}

const nothing = (): null => null;

const textOf = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);
