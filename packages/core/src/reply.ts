/** Replies from outside: which are legal at all, and how a journal holds them. */
import { defined } from "./defined.ts";
import type { Replies, Reply } from "./effects.ts";
import { IllegalReply } from "./errors.ts";
import { copyJsonPart, isPlainObject, type Json } from "./json.ts";
import { toBase64 } from "./platform.ts";
import { show } from "./show.ts";

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
 * A reply as a journal can hold it. Bytes become base64. What else JSON cannot hold is left out: it fits no question,
 * or is beside what was asked.
 */
export function replyJson(reply: Reply): Reply & { readonly [name: string]: Json } {
  const value = "value" in reply ? copyJsonPart(reply.value, toBase64) : undefined;
  const reason = "reason" in reply ? reply.reason : undefined;
  return { action: reply.action, ...defined({ value, reason }) };
}
