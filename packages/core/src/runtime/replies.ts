/**
 * Replies of hosts: parsing them, recording them, and applying them to a round.
 *
 *   1. A reply is appended to the journal before it is applied, and the round gets the value that the journal holds.
 *   2. The value of a secret is stored in the run's `SecretRedactor`. Where it is lost, the secret is asked for again.
 *
 * What a decline, a cancel or a timeout means for the body is decided by `settleNonAnswer` in question-round.ts.
 */
import { answerToJson, deepCopy, getOwn, isPlainObject, type Json, omitUndefined } from "../util/json.ts";
import type { OpenQuestion, Question, Replies, Reply } from "../effects.ts";
import { InvalidReply } from "../errors.ts";
import { toBase64 } from "../util/platform.ts";
import { describeValue } from "../util/describe-value.ts";
import type { ReplyEntry, SecretEntry } from "./journal.ts";
import { NONE, type RunJournal } from "./run-journal.ts";
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

/**
 * A reply as JSON. Bytes become base64 where a question may be answered with them. The answer to a secret is kept only if it is
 * a string: another value is dropped without being inspected. A value without `accept` is dropped.
 */
function replyToJson(reply: Reply, question: Question): ReplyJson {
  const { action } = reply;
  if (action === "unsupported") return omitUndefined({ action, reason: asText(reply.reason) });
  if (action === "decline" || action === "cancel") return omitUndefined({ action, note: asText(reply.note) });
  if (action !== "accept") return { action };
  if (isSecret(question)) return omitUndefined({ action, value: asText(reply.value) });
  const mayHaveBytes = question.emit === "sample" || (question.emit === "ask" && question.ask === "file");
  return omitUndefined({ action, value: answerToJson(reply.value, mayHaveBytes ? toBase64 : () => null) });
}

const isSecret = (question: Question): boolean => question.emit === "ask" && question.ask === "secret";

const asText = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);

/** The journal entry for a reply to an open question that is not a secret. */
export function replyEntry(question: OpenQuestion, reply: Reply, at: number): ReplyEntry {
  return { key: question.key, reply: replyToJson(reply, question), at };
}

/** Applies the recorded replies to a round. Secrets whose values are lost stay open: `journal.lostSecrets`. */
export async function replayReplies(
  round: QuestionRound,
  journal: RunJournal,
  environment: RunEnvironment,
): Promise<void> {
  journal.lostSecrets = NONE;
  if (journal.isLive) return;
  const lost = new Set<string>();
  while (round.answer === undefined) {
    const entry = journal.nextReply(round, lost.size > 0);
    if (entry === undefined) break;
    const reply = recordedReply(entry, round, environment);
    if (reply === undefined) lost.add(entry.key);
    else
      await round.applyReply(
        entry.key,
        reply,
        ("at" in entry ? entry.at : undefined) ?? environment.clock.now(),
      );
  }
  journal.skipUnusedReplies(round);
  if (lost.size > 0) journal.lostSecrets = lost;
  registerSecrets(round, environment);
}

/** The reply of an entry, which was parsed before it was appended; undefined for a secret whose value is lost. */
function recordedReply(
  entry: ReplyEntry | SecretEntry,
  round: QuestionRound,
  { secrets }: RunEnvironment,
): Reply | undefined {
  if ("reply" in entry) return deepCopy(entry.reply) as Reply;
  const value = secrets.get(secretKey(entry.key, round.attemptAt(entry.key)));
  return value === undefined ? undefined : { action: "accept", value };
}

/** Records and applies the replies of a host. Resolves to what the body is resumed with, or to nothing while questions are open. */
export async function applyReplies(
  round: QuestionRound,
  replies: Replies,
  journal: RunJournal | undefined,
  environment: RunEnvironment,
): Promise<Resume | undefined> {
  const at = environment.clock.now();
  let answer: Resume | undefined;
  for (const [key, question] of Object.entries(round.open)) {
    const given = getOwn(replies, key);
    if (given === undefined) continue;
    const reply = replyToJson(given, question);
    const wasLost = journal?.lostSecrets.has(key) === true;
    const secret = isSecret(question) && reply.action === "accept" ? reply.value : undefined;
    if (typeof secret === "string")
      environment.secrets.set(secretKey(key, wasLost ? 1 : question.attempt), secret);
    // The journal has an entry for a secret whose value was lost.
    if (journal !== undefined && (!wasLost || (reply.action !== "accept" && journal.isLive))) {
      const time = round.canStayOpen(key) ? { at } : {};
      const writing = journal.append(
        // A copy: the body may change the value that it is given.
        secret === undefined ? { key, reply: deepCopy(reply), ...time } : { key, secret: true },
      );
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

/** Each attempt has its own secret. Keys of questions do not contain "#attempt". */
const secretKey = (key: string, attempt: number): string =>
  attempt === 1 ? key : `${key}#attempt-${attempt}`;
