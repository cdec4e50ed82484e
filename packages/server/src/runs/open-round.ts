/** The open round of a run: the questions that wait for an answer, as the store lists them for every process and the inbox. */
import type { OpenQuestion, Reply, Round, WhenUnsupported } from "@photon/core";
import { earliest } from "../util/timers.ts";
import type { Revision } from "../protocol/revisions.ts";
import { AFTERTIME } from "../calls/waiting-calls.ts";
import type { CallSummary } from "./call-summary.ts";
import type { SessionCall } from "./records.ts";

/** What of a run is open, as the store lists it. */
export interface OpenRound {
  readonly subject: string;
  /** What people are told of the call. */
  readonly call?: CallSummary;
  readonly principal: string;
  readonly owner?: string;
  readonly round: Round;
  /** How many records its log has, while this is open. */
  readonly length: number;
  /** Until when it can be answered, or told that it was too late. */
  readonly until: number;
  readonly revision: Revision;
  readonly session?: SessionCall;
  /** The process that has claimed the run. As long as that process lives, other processes leave the run to it. */
  readonly process?: string;
  /** When it was asked; when this was noted, without it. */
  readonly asked?: number;
  /** It stands in no log what was asked, nor what is answered: the body wants somebody elsewhere before it begins. */
  readonly isApart?: boolean;
  /** How it was handed over to a model, where its client could not be asked: only then may one go on with it. */
  readonly way?: Exclude<WhenUnsupported, "fail">;
  /** The keys of secrets that were given before, and are gone: what is replied to them, but themselves, can stand in no log. */
  readonly gone?: readonly string[];
  /** The run waits for a process and not for a person: it was answered, or a process works on it or has worked on it. */
  readonly isAnswered?: boolean;
}

export function hasQuestions(open: OpenRound | undefined): boolean {
  return open !== undefined && Object.keys(open.round).length > 0;
}

type Deadlines = Pick<OpenRound, "round" | "isApart" | "gone">;

/** When the first question of an open round expires. */
export function dueAt(open: Deadlines): number | undefined {
  return earliest(expirable(open).flatMap(({ deadline }) => deadline ?? []));
}

/** The questions that a process without the client may end as timed out: those whose replies can stand in the log. */
export function expirable({ round, isApart, gone }: Deadlines): readonly OpenQuestion[] {
  if (isApart === true) return [];
  return Object.values(round).filter(({ key }) => gone?.includes(key) !== true);
}

/**
 * What stays open of a round after a reply to one of its questions: the others, whose time begins now. Where that was the last
 * one, or the reply may have ended the round, the run waits for a process to work on it.
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
