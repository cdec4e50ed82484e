import type { OpenQuestion, Reply } from "@photon/core";
import { AFTERTIME } from "../places.ts";
import type { OpenRound } from "./records.ts";

/**
 * What stays open of a round, once one of its questions was replied to: the others, whose time begins now. Where that was
 * the last, or may have ended the round, nobody is asked anything before somebody has gone on with the run.
 */
export function openAfter(
  open: OpenRound,
  answered: string,
  reply: Pick<Reply, "action">,
  at: number,
): OpenRound {
  const left = Object.entries(open.round).filter(([key]) => key !== answered);
  const length = open.length + 1;
  if (left.length === 0 || reply.action !== "accept")
    return { ...open, round: {}, length, asked: at, isAnswered: true };
  const round = Object.fromEntries(left.map(([key, question]) => [key, openFrom(question, at)]));
  const deadlines = Object.values(round).map(({ deadline = 0 }) => deadline + AFTERTIME);
  return { ...open, round, length, until: Math.max(open.until, ...deadlines) };
}

function openFrom(question: OpenQuestion, at: number): OpenQuestion {
  return question.wait === undefined ? question : { ...question, deadline: at + question.wait };
}
