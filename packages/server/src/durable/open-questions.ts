/** The open questions of a run, and the call that asks them, as the store lists them for every process, the inbox and pages. */
import {
  omitUndefined,
  type OpenQuestion,
  type Prompt,
  type Reply,
  type ReplyEntry,
  type Round,
  roundAfterReply,
  type Runnable,
  type SecretRedactor,
  type WhenUnsupported,
} from "@photon/core";
import { isRecord, type Params } from "../jsonrpc/messages.ts";
import type { Revision } from "../protocol/revisions.ts";
import { LATE_ANSWER_GRACE_MS } from "../calls/question-deadlines.ts";
import { earliest } from "../util/timers.ts";
import type { SessionRef } from "./log-records.ts";

/** How a question that the client cannot show is asked. */
export type HandoverMode = Exclude<WhenUnsupported, "fail">;

/** An entry of the list of runs that have not ended: with a round of open questions, or with none while a process works on the run. */
export interface OpenQuestions {
  readonly subject: string;
  readonly call?: CallSummary;
  readonly principal: string;
  readonly owner?: string;
  readonly round: Round;
  /** The length of the log while these questions are open. */
  readonly length: number;
  /** Until when the client can answer the questions, or is told that it was too late. */
  readonly until: number;
  readonly revision: Revision;
  readonly session?: SessionRef;
  /** The process that has claimed the run. As long as that process lives, other processes leave the run to it. */
  readonly process?: string;
  /** When the round was asked; without it, when the entry was written. */
  readonly askedAt?: number;
  /** The body starts only after the user has opened a URL: the question for that, and its answer, are not in the log. */
  readonly isUnlogged?: boolean;
  /** How the questions were handed over to a model. Only then a model may continue the run. */
  readonly handoverMode?: HandoverMode;
  /** The keys of secrets that are asked for again because their value is lost. Only the value itself is a reply, and it is in no log. */
  readonly lostSecrets?: readonly string[];
  /** The run waits for a process, not for a person: its questions were answered, or its body works, or worked when its process ended. */
  readonly awaitsProcess?: boolean;
}

export function hasQuestions(open: OpenQuestions | undefined): boolean {
  return open !== undefined && Object.keys(open.round).length > 0;
}

type Deadlines = Pick<OpenQuestions, "round" | "isUnlogged" | "lostSecrets">;

/** When the first question of an open round expires. */
export const nextDeadline = (open: Deadlines): number | undefined =>
  earliest(expirable(open).flatMap(({ deadline }) => deadline ?? []));

/** The questions that a process without the client may end as timed out: those whose replies are logged. */
export function expirable({ round, isUnlogged, lostSecrets = [] }: Deadlines): readonly OpenQuestion[] {
  return isUnlogged === true ? [] : Object.values(round).filter(({ key }) => !lostSecrets.includes(key));
}

/**
 * The entry after a reply to one of its questions: the others stay open, and their time starts anew. If that was the last one, or the reply may have
 * ended the round, the run waits for a process to work on it.
 */
export function openAfter(open: OpenQuestions, { key, reply, at = open.until }: ReplyEntry): OpenQuestions {
  const length = open.length + 1;
  const round = roundAfterReply(open.round, key, at);
  // The reply was checked before it was recorded.
  const { action } = reply as Reply;
  if (Object.keys(round).length === 0 || action !== "accept")
    return { ...open, round: {}, length, askedAt: at, awaitsProcess: true };
  const deadlines = Object.values(round).map(({ deadline = 0 }) => deadline + LATE_ANSWER_GRACE_MS);
  return { ...open, round, length, until: Math.max(open.until, ...deadlines) };
}

/**
 * The call of a run with open questions: the tool, and its input. It is stored with the questions, so long inputs are truncated, and the
 * run's secrets are removed.
 */
export interface CallSummary {
  readonly title?: string;
  readonly description?: string;
  /** The input of the call. Secrets are `[secret]`; long texts and lists are truncated, and end with "…". */
  readonly input?: unknown;
}

const MAX_TITLE = 200;
const MAX_DESCRIPTION = 2000;
/** Of the input: characters in all and of one text, members of one list or object, and levels. */
const MAX_CHARACTERS = 4000;
const MAX_TEXT = 1000;
const MAX_MEMBERS = 50;
const MAX_DEPTH = 6;
const CUT = "…";

/** A tool, a prompt or a resource. */
export type DescribedDefinition = Runnable<never, unknown> & Pick<Prompt<never>, "title" | "description">;

/** Without `params`, the summary has no input. */
export function summarizeCall(
  { title, description }: DescribedDefinition,
  params: Params | undefined,
  secrets: SecretRedactor,
): CallSummary {
  return omitUndefined({
    title: title && truncate(title, MAX_TITLE),
    description: description && truncate(description, MAX_DESCRIPTION),
    input: params && summarizeInput(params, secrets),
  });
}

/** Undefined for a call without input. */
function summarizeInput({ arguments: given, uri }: Params, secrets: SecretRedactor): unknown {
  const input = given ?? (uri === undefined ? {} : { uri });
  if (isRecord(input) && Object.keys(input).length === 0) return undefined;
  const left = { characters: MAX_CHARACTERS };

  function shorten(value: unknown, depth: number): unknown {
    if (typeof value === "string") {
      // Redacted before it is truncated: part of a secret would not be found.
      const text = truncate(secrets.redactText(value), Math.max(0, Math.min(MAX_TEXT, left.characters)));
      left.characters -= text.length;
      return text;
    }
    if (typeof value !== "object" || value === null) {
      left.characters -= String(value).length;
      return value;
    }
    if (depth === 0) return CUT;
    const members: [string, unknown][] = [];
    for (const name of Object.keys(value)) {
      if (members.length === MAX_MEMBERS || left.characters <= 0) {
        members.push([CUT, CUT]);
        break;
      }
      const shown = Array.isArray(value) ? name : truncate(secrets.redactText(name), MAX_TITLE);
      if (!Array.isArray(value)) left.characters -= shown.length;
      members.push([shown, shorten(Reflect.get(value, name), depth - 1)]);
    }
    return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
  }

  // Also redacts numbers, which `redactText` does not see.
  return secrets.redact(shorten(input, MAX_DEPTH));
}

const truncate = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length) + CUT;
