/** Replies from outside: which are legal at all, and how a journal holds them. */
import { answerAsJson, omitUndefined, isPlainObject, type Json, deepCopy } from "../util/json.ts";
import type { OpenQuestion, Question, Replies, Reply } from "../effects.ts";
import { InvalidReply } from "../errors.ts";
import { toBase64 } from "../util/platform.ts";
import { describeValue } from "../util/describe-value.ts";
import { StopSignal } from "./cancellation.ts";
import type { Answered, Entry, SecretGiven } from "./journal.ts";
import type { Replay } from "./replay.ts";
import type { QuestionRound, Resume } from "./question-round.ts";
import type { RunEnvironment } from "./environment.ts";

const ACTIONS = new Set(["accept", "decline", "cancel", "timeout", "unsupported"]);

/** Lets legal replies through; throws for the first that is none. Whether an answer fits is not looked at here. */
export function checkReplies(replies: unknown): Replies {
  if (!isPlainObject(replies))
    throw new InvalidReply("a round", `${describeValue(replies)} is no record of replies`);
  for (const [key, reply] of Object.entries(replies)) {
    if (!isPlainObject(reply))
      throw new InvalidReply(key, `${describeValue(reply)} is no { action, value? }`);
    if (typeof reply["action"] !== "string" || !ACTIONS.has(reply["action"])) {
      throw new InvalidReply(
        key,
        `its action is ${describeValue(reply["action"])}; it may be ${[...ACTIONS].join(", ")}`,
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
function replyJson(reply: Reply, question: Question): Reply & { readonly [name: string]: Json } {
  const { action } = reply;
  if (action === "unsupported") return omitUndefined({ action, reason: textOf(reply.reason) });
  if (action === "decline" || action === "cancel") return omitUndefined({ action, note: textOf(reply.note) });
  if (action !== "accept") return { action };
  const hasBytes = question.emit === "sample" || (question.emit === "ask" && question.ask === "file");
  return omitUndefined({ action, value: answerAsJson(reply.value, hasBytes ? toBase64 : nothing) });
}

const nothing = (): null => null;

const textOf = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);

/**
 * Tells a round its replies: those the journal has, then those that come.
 *
 *   1. A reply is in the journal before the round is told, and the round is told what the journal holds.
 *   2. A secret stands in the journal as `{ key, secret: true }`. Its value is in the vault, or gone and asked for again.
 */

const NONE: ReadonlySet<string> = new Set();

/** Tells what the journal knows. Gives back the secrets that were given and are gone: they stay open. */
export async function replayReplies(
  round: QuestionRound,
  replay: Replay,
  world: RunEnvironment,
): Promise<ReadonlySet<string>> {
  if (replay.isOver) return NONE;
  const forgotten = new Set<string>();
  while (round.answer === undefined) {
    const entry = replay.takeAnswer(round, forgotten.size > 0);
    if (entry === undefined) break;
    const reply = recordedReply(entry, world.secrets.get(secretKey(entry.key, round.attemptAt(entry.key))));
    if (reply === undefined) forgotten.add(entry.key);
    else await round.applyReply(entry.key, reply, ("at" in entry ? entry.at : undefined) ?? world.now());
  }
  replay.skipRest(round);
  hideSecrets(round, world);
  return forgotten;
}

/** Tells what a host replied. Questions it said nothing about stay open. Gives back what the body is resumed with, once it is known. */
export async function applyReplies(
  round: QuestionRound,
  replies: Replies,
  forgotten: ReadonlySet<string>,
  replay: Replay,
  world: RunEnvironment,
): Promise<Resume | undefined> {
  const { open } = round;
  const at = world.now();
  let answer: Resume | undefined;
  for (const key of Object.keys(open)) {
    const question = open[key];
    const given = Object.hasOwn(replies, key) ? replies[key] : undefined;
    if (question === undefined || given === undefined) continue;
    const isSecret = question.emit === "ask" && question.ask === "secret" && given.action === "accept";
    const reply = isSecret ? secretReply(given) : replyJson(given, question);
    const isForgotten = forgotten.has(key);
    if (isSecret && typeof reply.value === "string")
      world.secrets.put(secretKey(key, isForgotten ? 1 : question.attempt), reply.value);
    // A secret that is asked for again stands in the journal already, where it was first given.
    if (world.journal !== undefined && (!isForgotten || (!isSecret && replay.isOver))) {
      const entry = entryFor(key, reply, isSecret, round.canStayOpen(key) ? at : undefined);
      const writing = appendEntry(world, entry);
      if (writing !== undefined) await writing;
    }
    const told = round.applyReply(key, reply, at);
    if (told !== undefined) await told;
    answer = round.answer;
    if (answer !== undefined) break;
  }
  hideSecrets(round, world);
  return answer;
}

/** What the body is about to be given must not leave. */
function hideSecrets(round: QuestionRound, { secrets }: RunEnvironment): void {
  for (const secret of round.secrets) secrets.register(secret.reveal());
}

/** Appends to the journal. A write under way is awaited also when the run is closed or detached meanwhile: a reply that came is not lost. */
export function appendEntry({ journal, closing }: RunEnvironment, entry: Entry): Promise<void> | undefined {
  const writing = stopOnFailure(() => journal?.append(entry));
  return writing && closing.raceForced(writing);
}

/**
 * Waits until an entry is written. A journal that fails detaches the run: nothing may be used that was not recorded, and
 * the body must not be closed, because the run has not ended: it continues from what the journal holds.
 */
export function stopOnFailure(write: () => void | Promise<void>): Promise<void> | undefined {
  try {
    const writing = write();
    return writing === undefined ? undefined : written(writing);
  } catch (error) {
    throw new StopSignal(error, true);
  }
}

async function written(writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    throw new StopSignal(error, true);
  }
}

/** How a journal holds what somebody replied to an open question. A secret is no such reply: a journal holds none. */
export function answeredEntry(question: OpenQuestion, reply: Reply, at: number): Answered {
  return { key: question.key, reply: deepCopy(replyJson(reply, question)), at };
}

type JsonReply = ReturnType<typeof replyJson>;

/** What is told of the answer to a secret: what is no text is none, and is not looked at any further. */
function secretReply(reply: Reply): JsonReply {
  const value = "value" in reply ? reply.value : undefined;
  return { action: "accept", ...(typeof value === "string" ? { value } : {}) };
}

function entryFor(
  key: string,
  reply: JsonReply,
  isSecret: boolean,
  at: number | undefined,
): Answered | SecretGiven {
  if (isSecret && "value" in reply) return { key, secret: true };
  // A copy: the body may change what it is given, the journal must not change with it.
  return { key, reply: deepCopy(reply), ...(at === undefined ? {} : { at }) };
}

/** Where the value of a secret is kept: each attempt has its own. No id has a "#" in it. */
const secretKey = (key: string, attempt: number): string =>
  attempt === 1 ? key : `${key}#attempt-${attempt}`;

/** The reply an entry stands for. The journal is ours: what is in it was a legal reply when it was written. */
function recordedReply(entry: Answered | SecretGiven, secret: string | undefined): Reply | undefined {
  if ("reply" in entry) return deepCopy(entry.reply) as Reply;
  return secret === undefined ? undefined : { action: "accept", value: secret };
}
