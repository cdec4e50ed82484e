/** What passes through a model: what it says the person has answered, and why some of it never does. */
import {
  asPredicate,
  checkAnswer,
  jsonFrom,
  type OpenQuestion,
  readAnswer,
  type Replies,
  type Reply,
  type Round,
  yesOrNo,
} from "@photon/core";
import { isExpired } from "../calls/question-deadlines.ts";
import { isRecord } from "../jsonrpc/messages.ts";

/** What a model passes on. */
export interface RelayedAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly answer: unknown;
}

/** What was brought to a round: replies, or what is wrong with them. */
export type RepliesOrProblem = { readonly replies: Replies } | { readonly problem: string };

/**
 * It as replies to a round, or what is wrong with it: an answer that does not fit is none. `told` is the round as the model
 * was told of it, where part of that has been answered since.
 */
export async function repliesIn(
  { action, answer }: RelayedAnswer,
  round: Round,
  now: number,
  told: Round = round,
): Promise<RepliesOrProblem> {
  const isOne = Object.keys(told).length === 1;
  // Models pass on texts, also of what they were shown as an object.
  const given = !isOne && typeof answer === "string" ? jsonFrom(answer) : answer;
  const replies: Record<string, Reply> = {};
  for (const question of Object.values(round)) {
    const { key } = question;
    // One question is answered by its answer, several by their keys.
    const value = isOne ? given : ownIn(given, key);
    if (isExpired(question, now)) replies[key] = { action: "timeout" };
    else if (action !== "accept") replies[key] = { action };
    else {
      const reply = await replyOf(question, value);
      if ("problem" in reply) return reply;
      replies[key] = reply;
    }
  }
  return { replies };
}

/** What a model passed on as the answer to one question, with texts read as a terminal reads them. */
async function replyOf(
  question: OpenQuestion,
  given: unknown,
): Promise<Reply | { readonly problem: string }> {
  if (question.emit === "ask" && question.ask === "url" && typeof given === "string") return visitIn(given);
  const isRead = question.emit === "ask" && question.ask !== "url" && question.ask !== "file";
  const value = isRead ? readAnswer(question, given) : given;
  const verdict = await checkAnswer(question, value);
  if ("problem" in verdict) return { problem: asPredicate(question, verdict.problem) };
  return { action: "accept", value };
}

/** Whether a text says that the person went to a web address. */
function visitIn(text: string): Reply | { readonly problem: string } {
  const answer = yesOrNo(text);
  if (answer === false) return { action: "decline" };
  return answer === true || /^(?:done|null)$/i.test(text.trim())
    ? { action: "accept" }
    : { problem: "must be null once they have been there" };
}

/** The same replies, where `unsupported` also says why the question was not handed over. */
export function withRelayReason(
  replies: Replies,
  round: Round,
  whyNoWay: (question: OpenQuestion) => string | undefined,
): Replies {
  return Object.fromEntries(
    Object.entries(replies).map(([key, reply]) => {
      const question = round[key];
      const why = question && whyNoWay(question);
      if (reply.action !== "unsupported" || why === undefined || why === reply.reason) return [key, reply];
      return [key, { ...reply, reason: reply.reason === undefined ? why : `${why}, and ${reply.reason}` }];
    }),
  );
}

const ownIn = (answer: unknown, key: string): unknown =>
  isRecord(answer) && Object.hasOwn(answer, key) ? answer[key] : undefined;
