/** Replies from outside: which are legal at all, and how a journal holds them. */
import type { Replies, Reply } from "./effects.ts";
import { IllegalReply } from "./errors.ts";
import { copyJson, isPlainObject, type Json } from "./json.ts";
import { toBase64 } from "./platform.ts";
import { show } from "./show.ts";

const ACTIONS = new Set(["accept", "decline", "cancel", "timeout", "unsupported"]);

/** Lets legal replies through; throws for the first that is none. Whether an answer fits is not looked at here. */
export function checkReplies(replies: unknown): Replies {
  if (!isPlainObject(replies)) throw new IllegalReply("a round", `${show(replies)} is no record of replies`);
  for (const [key, reply] of Object.entries(replies)) {
    if (!isPlainObject(reply)) throw new IllegalReply(key, `${show(reply)} is no { action, value? }`);
    if (!ACTIONS.has(String(reply["action"]))) {
      throw new IllegalReply(
        key,
        `its action is ${show(reply["action"])}; it may be ${[...ACTIONS].join(", ")}`,
      );
    }
  }
  // Every reply was looked at.
  return replies as Replies;
}

/** A reply as JSON. The bytes of a file become base64; what JSON cannot hold fits no question, and is left out. */
export function replyJson(reply: Reply): Json {
  const value: unknown = "value" in reply ? reply.value : undefined;
  const plain =
    isPlainObject(value) && value["bytes"] instanceof Uint8Array ? inBase64(value, value["bytes"]) : value;
  const copied = copyJson({ ...reply, value: plain });
  return "json" in copied ? copied.json : { action: reply.action };
}

function inBase64(file: object, bytes: Uint8Array): object {
  return { ...file, bytes: undefined, base64: toBase64(bytes) };
}
