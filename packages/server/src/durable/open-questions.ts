/** The open round of a run: the questions that wait for an answer, as the store lists them for every process and the inbox. */
import {
  type OpenQuestion,
  type Prompt,
  type Reply,
  type Round,
  type Runnable,
  type SecretRedactor,
  type WhenUnsupported,
  roundAfterReply,
} from "@photon/core";
import type { Revision } from "../protocol/revisions.ts";
import { firstDeadline, LATE_ANSWER_GRACE_MS } from "../calls/question-deadlines.ts";
import type { SessionRef } from "./log-records.ts";
import { isRecord, type Params } from "../jsonrpc/messages.ts";

/** What of a run is open, as the store lists it. */
export interface OpenQuestions {
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
  readonly session?: SessionRef;
  /** The process that has claimed the run. As long as that process lives, other processes leave the run to it. */
  readonly process?: string;
  /** When it was asked; when this was noted, without it. */
  readonly asked?: number;
  /** Neither the questions nor their answers are in the log: the user has to visit a web address before the body starts. */
  readonly isApart?: boolean;
  /** How the questions were handed over to a model. Only then a model may continue the run. */
  readonly way?: Exclude<WhenUnsupported, "fail">;
  /** The keys of secrets that were given before, and are gone: what is replied to them, but themselves, can stand in no log. */
  readonly gone?: readonly string[];
  /** The run waits for a process and not for a person: it was answered, or a process works on it or has worked on it. */
  readonly isAnswered?: boolean;
}

export function hasQuestions(open: OpenQuestions | undefined): boolean {
  return open !== undefined && Object.keys(open.round).length > 0;
}

type Deadlines = Pick<OpenQuestions, "round" | "isApart" | "gone">;

/** When the first question of an open round expires. */
export const nextDeadline = (open: Deadlines): number | undefined => firstDeadline(expirable(open));

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
  open: OpenQuestions,
  answered: string,
  reply: Pick<Reply, "action">,
  at: number,
): OpenQuestions {
  const length = open.length + 1;
  const round = roundAfterReply(open.round, answered, at);
  if (Object.keys(round).length === 0 || reply.action !== "accept")
    return { ...open, round: {}, length, asked: at, isAnswered: true };
  const deadlines = Object.values(round).map(({ deadline = 0 }) => deadline + LATE_ANSWER_GRACE_MS);
  return { ...open, round, length, until: Math.max(open.until, ...deadlines) };
}

/**
 * The call of an open round, as the inbox and pages show it: the tool, and its input. It is stored beside the open questions, so
 * long inputs are truncated, and the run's secrets are removed.
 */
export interface CallSummary {
  readonly title?: string;
  readonly description?: string;
  /** What it was called with. Secrets are `[secret]`; long texts and lists are cut, and end with "…". */
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

/** What has words of its own: a tool, a prompt or a resource. */
export type DescribedDefinition = Runnable<never, unknown> & Pick<Prompt<never>, "title" | "description">;

/** `input`: whether it is told what the call was made with. */
export function summaryOf(
  { title, description }: DescribedDefinition,
  params: Params,
  secrets: SecretRedactor,
  { input: isTold }: { readonly input: boolean },
): CallSummary {
  const input = isTold ? inputOf(params, secrets) : undefined;
  return {
    ...(title === undefined ? {} : { title: cut(title, MAX_TITLE) }),
    ...(description === undefined ? {} : { description: cut(description, MAX_DESCRIPTION) }),
    ...(input === undefined ? {} : { input }),
  };
}

/** The input of a call; nothing, where it has none. */
function inputOf({ arguments: given, uri }: Params, secrets: SecretRedactor): unknown {
  const input = given ?? (uri === undefined ? {} : { uri });
  if (isRecord(input) && Object.keys(input).length === 0) return undefined;
  // Texts are redacted before they are cut; what is left to redact is a number.
  return secrets.redact(shorten(input, { left: MAX_CHARACTERS }, MAX_DEPTH, secrets));
}

function shorten(value: unknown, room: { left: number }, depth: number, secrets: SecretRedactor): unknown {
  if (typeof value === "string") {
    const text = cut(secrets.redactText(value), Math.max(0, Math.min(MAX_TEXT, room.left)));
    room.left -= text.length;
    return text;
  }
  if (typeof value !== "object" || value === null) {
    room.left -= String(value).length;
    return value;
  }
  if (depth === 0) return CUT;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (items.length === MAX_MEMBERS || room.left <= 0) return [...items, CUT];
      items.push(shorten(item, room, depth - 1, secrets));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    if (members.length === MAX_MEMBERS || room.left <= 0) {
      members.push([CUT, CUT]);
      break;
    }
    const shown = cut(secrets.redactText(name), MAX_TITLE);
    room.left -= shown.length;
    members.push([shown, shorten(Reflect.get(value, name), room, depth - 1, secrets)]);
  }
  return Object.fromEntries(members);
}

const cut = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most) + CUT);
