/**
 * Replies of hosts: parsing, recording, and applying them to a round.
 *
 *   1. A reply is appended to the journal before it is applied, and the round gets the value that the journal holds.
 *   2. The value of a secret is stored in the run's `SecretRedactor`. Where it is lost, the secret is asked for again.
 *   3. A journal that fails to append detaches the run: it continues from what the journal holds.
 */
import { answerToJson, omitUndefined, isPlainObject, type Json, deepCopy } from "../util/json.ts";
import type { OpenQuestion, Question, Replies, Reply } from "../effects.ts";
import { InvalidReply } from "../errors.ts";
import { toBase64 } from "../util/platform.ts";
import { describeValue } from "../util/describe-value.ts";
import { StopSignal } from "./cancellation.ts";
import type { ReplyEntry, JournalEntry, SecretEntry } from "./journal.ts";
import type { Replay } from "./replay.ts";
import type { QuestionRound, Resume } from "./question-round.ts";
import type { RunEnvironment } from "./environment.ts";

const ACTIONS = new Set(["accept", "decline", "cancel", "timeout", "unsupported"]);

/** Parses the replies to a round. Does not check whether the values fit the questions. */
export function parseReplies(replies: unknown): Replies {
  if (!isPlainObject(replies))
    throw new InvalidReply("a round", `it is ${describeValue(replies)}; give an object of replies by key`);
  for (const [key, reply] of Object.entries(replies)) {
    if (!isPlainObject(reply))
      throw new InvalidReply(key, `it is ${describeValue(reply)}; give { action, value? }`);
    if (typeof reply["action"] !== "string" || !ACTIONS.has(reply["action"])) {
      throw new InvalidReply(
        key,
        `its action is ${describeValue(reply["action"])}; give one of ${[...ACTIONS].join(", ")}`,
      );
    }
  }
  // Every reply was checked.
  return replies as Replies;
}

type ReplyJson = Reply & { readonly [name: string]: Json };

/** A reply as JSON. Bytes become base64 where a question may be answered with them. A value without `accept` is dropped. */
function replyToJson(reply: Reply, question: Question): ReplyJson {
  const { action } = reply;
  if (action === "unsupported") return omitUndefined({ action, reason: asText(reply.reason) });
  if (action === "decline" || action === "cancel") return omitUndefined({ action, note: asText(reply.note) });
  if (action !== "accept") return { action };
  const mayHaveBytes = question.emit === "sample" || (question.emit === "ask" && question.ask === "file");
  return omitUndefined({ action, value: answerToJson(reply.value, mayHaveBytes ? toBase64 : () => null) });
}

const asText = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);

const NONE: ReadonlySet<string> = new Set();

/** Applies the recorded replies. Resolves to the keys of secrets whose values are lost: these questions stay open. */
export async function replayReplies(
  round: QuestionRound,
  replay: Replay,
  environment: RunEnvironment,
): Promise<ReadonlySet<string>> {
  if (replay.isOver) return NONE;
  const { secrets } = environment;
  const lost = new Set<string>();
  while (round.answer === undefined) {
    const entry = replay.nextReply(round, lost.size > 0);
    if (entry === undefined) break;
    const reply = recordedReply(entry, secrets.get(secretKey(entry.key, round.attemptAt(entry.key))));
    if (reply === undefined) lost.add(entry.key);
    else
      await round.applyReply(entry.key, reply, ("at" in entry ? entry.at : undefined) ?? environment.now());
  }
  replay.skipUnusedReplies(round);
  registerSecrets(round, environment);
  return lost;
}

/** Records and applies the replies of a host. Resolves to what the body is resumed with, or to nothing while questions are open. */
export async function applyReplies(
  round: QuestionRound,
  replies: Replies,
  lostSecrets: ReadonlySet<string>,
  replay: Replay,
  environment: RunEnvironment,
): Promise<Resume | undefined> {
  const { open } = round;
  const at = environment.now();
  let answer: Resume | undefined;
  for (const key of Object.keys(open)) {
    const question = open[key];
    const given = Object.hasOwn(replies, key) ? replies[key] : undefined;
    if (question === undefined || given === undefined) continue;
    const isSecret = question.emit === "ask" && question.ask === "secret" && given.action === "accept";
    const reply = isSecret ? secretToJson(given) : replyToJson(given, question);
    const wasLost = lostSecrets.has(key);
    if (isSecret && typeof reply.value === "string")
      environment.secrets.set(secretKey(key, wasLost ? 1 : question.attempt), reply.value);
    // The journal has an entry for a secret whose value was lost.
    if (environment.journal !== undefined && (!wasLost || (!isSecret && replay.isOver))) {
      const entry = entryFor(key, reply, isSecret, round.canStayOpen(key) ? at : undefined);
      const writing = appendEntry(environment, entry);
      if (writing !== undefined) await writing;
    }
    const applying = round.applyReply(key, reply, at);
    if (applying !== undefined) await applying;
    answer = round.answer;
    if (answer !== undefined) break;
  }
  registerSecrets(round, environment);
  return answer;
}

/** The secrets that the body is about to get are redacted from what it emits and returns. */
function registerSecrets(round: QuestionRound, { secrets }: RunEnvironment): void {
  for (const secret of round.secrets) secrets.register(secret.reveal());
}

/** Appends to the journal. Waits for it also when the run is closed or detached meanwhile: a reply that came is not lost. */
export function appendEntry(
  { journal, cancellation }: RunEnvironment,
  entry: JournalEntry,
): Promise<void> | undefined {
  const writing = stopOnFailure(() => journal?.append(entry));
  return writing && cancellation.raceForced(writing);
}

/** Writes to the journal. An error becomes a `StopSignal` that detaches the run. */
export function stopOnFailure(write: () => void | Promise<void>): Promise<void> | undefined {
  const detach = (error: unknown): never => {
    throw new StopSignal(error, true);
  };
  try {
    const writing = write();
    // `append` may return any value, such as the number of `push`.
    return writing === undefined ? undefined : Promise.resolve(writing).catch(detach);
  } catch (error) {
    return detach(error);
  }
}

/** The journal entry for a reply to an open question that is not a secret. */
export function replyEntry(question: OpenQuestion, reply: Reply, at: number): ReplyEntry {
  return { key: question.key, reply: deepCopy(replyToJson(reply, question)), at };
}

/** The answer to a secret; a value that is not a string is dropped without being inspected. */
function secretToJson(reply: Reply): ReplyJson {
  const value = "value" in reply ? reply.value : undefined;
  return { action: "accept", ...(typeof value === "string" ? { value } : {}) };
}

function entryFor(
  key: string,
  reply: ReplyJson,
  isSecret: boolean,
  at: number | undefined,
): ReplyEntry | SecretEntry {
  if (isSecret && "value" in reply) return { key, secret: true };
  // A copy: the body may change the value that it is given.
  return { key, reply: deepCopy(reply), ...(at === undefined ? {} : { at }) };
}

/** Each attempt has its own secret. Keys of questions do not contain "#attempt". */
const secretKey = (key: string, attempt: number): string =>
  attempt === 1 ? key : `${key}#attempt-${attempt}`;

/** The reply of an entry. It was parsed before it was appended. */
function recordedReply(entry: ReplyEntry | SecretEntry, secret: string | undefined): Reply | undefined {
  if ("reply" in entry) return deepCopy(entry.reply) as Reply;
  return secret === undefined ? undefined : { action: "accept", value: secret };
}
