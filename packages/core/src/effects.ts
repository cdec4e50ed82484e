/**
 * The vocabulary: everything a body may yield, as data discriminated by `emit`.
 *
 * What the words mean is in `interpret.ts`. Which other spellings are understood
 * is in `read-effect.ts`.
 */
import type { Ask, Fallback } from "./ask-types.ts";
import type { Json } from "./util/json.ts";
import type { Content } from "./content.ts";
import type { Timeout } from "./util/time.ts";
import type { Signal } from "./util/platform.ts";

/** What the tool is doing, in words. */
export interface Status {
  readonly emit: "status";
  readonly message: string;
}

/** How far it is: from 0 to 1. */
export interface Progress {
  readonly emit: "progress";
  readonly value: number;
  readonly message?: string;
}

export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

export type LogLevel = (typeof logLevels)[number];

/** Something for whoever runs the tool. */
export interface Log {
  readonly emit: "log";
  readonly level: LogLevel;
  readonly data: Json;
}

/** Something made on the way; it joins the content of the result. */
export interface Artifact {
  readonly emit: "artifact";
  readonly content: Content;
}

/** Text as it comes; the text of the result where the tool returns nothing. */
export interface Stream {
  readonly emit: "stream";
  readonly text: string;
}

/** What a tool tells, without waiting for anybody. */
export type Emit = Status | Progress | Log | Artifact | Stream;

/** What a step is told when it runs. */
export interface StepContext {
  /** The same for the same step of the same run, however often it is tried: an idempotency key. */
  readonly key: string;
  readonly signal: Signal;
}

/** What to do about a step that began and was never recorded: fail, run it again, or find out. */
export type OnUnknownStep<T> = "fail" | "retry" | ((context: StepContext) => T | Promise<T>);

/** Something done once in a run, however often the run is replayed. */
export type Step =
  | {
      readonly emit: "step";
      readonly step: "call";
      readonly name: string;
      readonly run: (context: StepContext) => unknown;
      readonly onUnknown?: OnUnknownStep<unknown>;
    }
  | { readonly emit: "step"; readonly step: "now" | "random" | "uuid"; readonly name: string };

/** What becomes of a step of a run, as it is done. */
export interface StepEvent {
  /** Its name, and which one it is where there are several: `reserve`, `reserve#2`. */
  readonly step: string;
  readonly state: "begun" | "done" | "failed";
}

/** A message to or from a model. */
export interface SampleMessage {
  readonly role: "user" | "assistant";
  readonly content: Content | readonly Content[];
}

/** A request to the client's model. */
export interface Sample {
  readonly emit: "sample";
  readonly id?: string;
  readonly messages: readonly SampleMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: Json;
  readonly timeout?: Timeout;
  readonly fallback?: Fallback<SampleAnswer>;
}

/** What the client's model said. */
export interface SampleAnswer {
  readonly role: "user" | "assistant";
  readonly content: Content | readonly Content[];
  readonly model: string;
  readonly stopReason?: string;
}

/** A request for the folders the client works in. */
export interface Roots {
  readonly emit: "roots";
  readonly id?: string;
  readonly timeout?: Timeout;
  readonly fallback?: Fallback<readonly Root[]>;
}

export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** One thing that somebody else must answer: a person, a model, a client. */
export type Question = Ask | Sample | Roots;

/** A question in words. */
export function messageOf(question: Question): string {
  return question.emit === "ask" ? question.message : question.emit;
}

/** Several questions in one round. The record's keys are their ids. */
export interface AskAll {
  readonly emit: "ask";
  readonly ask: "all";
  readonly asks: { readonly [id: string]: Question | AskOutcome };
}

/** A question whose outcome is wanted as data, not thrown. */
export interface AskOutcome {
  readonly emit: "ask";
  readonly ask: "outcome";
  readonly of: Question | AskAll;
}

/** Everything that makes a body wait for an answer. */
export type AskEffect = Question | AskAll | AskOutcome;

export type Effect = Emit | Step | AskEffect;

/** An effect as an author may write it out, loosely typed. */
export type RawEffect =
  | { readonly emit: string; readonly [field: string]: unknown }
  | { readonly ask: string; readonly message: string; readonly [field: string]: unknown };

/**
 * A tool's body: yields effects, is resumed with what came of them, returns the result.
 *
 * What a bare `yield` of raw data gives back is left open (the `any` that generators have by default): it depends on
 * the data, which the type system cannot follow.
 */
export type Body<Result> = AsyncGenerator<Effect | RawEffect, Result>;

/** How an `ask.outcome` ended. `value` is the answer, or the fallback the author gave. */
export type Outcome<Answer> =
  | { readonly action: "accept"; readonly value: Answer }
  | {
      readonly action: "decline" | "cancel" | "timeout" | "unsupported" | "invalid";
      readonly value?: Answer;
    };

/** What a host says to a question. */
export type Reply =
  | { readonly action: "accept"; readonly value?: unknown }
  /** `note` is a sentence about how the reply came; the error says it too. */
  | { readonly action: "decline" | "cancel"; readonly note?: string }
  | { readonly action: "timeout" }
  | { readonly action: "unsupported"; readonly reason?: string };

/** A question that is open, with what its host needs to know to ask it. */
export type OpenQuestion = Question & {
  readonly key: string;
  /** 1, and one more each time the answer did not fit. */
  readonly attempt: number;
  /** What was wrong with the last answer: "must be at most 30". */
  readonly hint?: string;
  /** How long it may stay open, in milliseconds; nothing: until it is answered. */
  readonly wait?: number;
  /** When that is over, in milliseconds since 1970. */
  readonly deadline?: number;
};

/** The questions that a body waits for, by key. */
export type Round = { readonly [key: string]: OpenQuestion };

/** What the host says to a round, by key. A question without a reply is asked again. */
export type Replies = { readonly [key: string]: Reply };
