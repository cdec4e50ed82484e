/** Replies from outside: which are legal at all, and how a journal holds them. */
import { defined } from "./defined.ts";
import type { Replies, Reply } from "./effects.ts";
import { IllegalReply } from "./errors.ts";
import { isPlainObject, type Json } from "./json.ts";
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
 * A reply as JSON: what a journal can hold of it. Bytes become base64. What JSON cannot hold is left out; it fits no
 * question, or is beside what was asked.
 */
export function replyJson(reply: Reply): Reply & { readonly [name: string]: Json } {
  const value = "value" in reply ? jsonPart(reply.value, 0) : undefined;
  const reason = "reason" in reply ? reply.reason : undefined;
  // The same action, and of the rest what JSON can hold.
  return { action: reply.action, ...defined({ value, reason }) };
}

const DEEPEST = 100;

function jsonPart(value: unknown, depth: number): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (value instanceof Uint8Array) return toBase64(value);
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((item) => jsonPart(item, depth + 1) ?? null);
  if (!isPlainObject(value)) return undefined;
  const members = Object.entries(value).map(([name, member]) => {
    const isFile = name === "bytes" && member instanceof Uint8Array;
    return [isFile ? "base64" : name, jsonPart(member, depth + 1)] as const;
  });
  return Object.fromEntries(members.filter((member): member is [string, Json] => member[1] !== undefined));
}
