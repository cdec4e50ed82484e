/**
 * Effects: everything a body may yield, as data discriminated by `emit`. Also rounds of questions, and replies to them.
 *
 * runtime/interpreter.ts performs them; runtime/parse-effect.ts parses raw ones.
 */
import type { Ask } from "./asks/ask.ts";
import type { Fallback } from "./asks/ask-kind.ts";
import type { Json } from "./util/json.ts";
import type { Content } from "./content.ts";
import type { Timeout } from "./util/time.ts";
import type { Signal } from "./util/platform.ts";

/** What the tool is doing, as a sentence for the user. */
export interface Status {
  readonly emit: "status";
  readonly message: string;
}

/** The progress of the tool, from 0 to 1. */
export interface Progress {
  readonly emit: "progress";
  readonly value: number;
  readonly message?: string;
}

/** The levels of log messages, the least severe first. */
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

/** The level of a log message. */
export type LogLevel = (typeof logLevels)[number];

/** A log entry for the operator. */
export interface Log {
  readonly emit: "log";
  readonly level: LogLevel;
  readonly data: Json;
}

/** Content that becomes part of the result. */
export interface Artifact {
  readonly emit: "artifact";
  readonly content: Content;
}

/** A chunk of text. All chunks together are the text of the result if the tool returns nothing. */
export interface Stream {
  readonly emit: "stream";
  readonly text: string;
}

/** Effects without an answer. */
export type Emit = Status | Progress | Log | Artifact | Stream;

/** The argument of a step's function. */
export interface StepContext {
  /** An idempotency key: the same for each attempt of the same step of the same run. */
  readonly key: string;
  readonly signal: Signal;
}

/** For a step that began and has no recorded outcome: fail, run it again, or call a function that finds the result. */
export type OnUnknownStep<T> = "fail" | "retry" | ((context: StepContext) => T | Promise<T>);

/** A side effect that happens once in a run, however often the run is replayed. */
export type Step =
  | {
      readonly emit: "step";
      readonly step: "call";
      readonly name: string;
      readonly run: (context: StepContext) => unknown;
      readonly onUnknown?: OnUnknownStep<unknown>;
    }
  | { readonly emit: "step"; readonly step: "now" | "random" | "uuid"; readonly name: string };

/** Tells a host that a step began or ended. */
export interface StepEvent {
  /** Its key: its name, numbered if it was used before: `reserve`, `reserve#2`. */
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

/** The answer of the client's model. */
export interface SampleAnswer extends SampleMessage {
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

/** A folder that the client works in. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** A question to a person, a model or a client. */
export type Question = Ask | Sample | Roots;

/** The text of a question for errors: its message, `sample` or `roots`. */
export function messageOf(question: Question): string {
  return question.emit === "ask" ? question.message : question.emit;
}

/** Several questions in one round. The record's keys are their ids. */
export interface AskAll {
  readonly emit: "ask";
  readonly ask: "all";
  readonly asks: { readonly [id: string]: Question | AskOutcome };
}

/** A question whose outcome is returned as data: a non-answer does not throw. */
export interface AskOutcome {
  readonly emit: "ask";
  readonly ask: "outcome";
  readonly of: Question | AskAll;
}

/** Whether a yes to a question does harm: a confirm with `dangerous`. */
export const isDangerous = (question: Question): boolean =>
  question.emit === "ask" && question.ask === "confirm" && question.dangerous === true;

/** Effects that wait for an answer. */
export type AskEffect = Question | AskAll | AskOutcome;

/** What a body yields: it emits something, does a step, or waits for an answer. */
export type Effect = Emit | Step | AskEffect;

/** An effect as an object literal, loosely typed. */
export type RawEffect =
  | { readonly emit: string; readonly [field: string]: unknown }
  | { readonly ask: string; readonly message: string; readonly [field: string]: unknown };

/**
 * A tool's body: yields effects, is resumed with their answers, returns the result.
 *
 * The type of a bare `yield` is `any`, the default of generators: it depends on the yielded data, which the type system cannot
 * follow.
 */
export type Body<Result> = AsyncGenerator<Effect | RawEffect, Result>;

/** How an `ask.outcome` ended. `value` is the answer, or the fallback the author gave. */
export type Outcome<Answer> =
  | { readonly action: "accept"; readonly value: Answer }
  | {
      readonly action: "decline" | "cancel" | "timeout" | "unsupported" | "invalid";
      readonly value?: Answer;
    };

/** A host's reply to a question. */
export type Reply =
  | { readonly action: "accept"; readonly value?: unknown }
  /** `note` is a sentence that is added to the message of the error. */
  | { readonly action: "decline" | "cancel"; readonly note?: string }
  | { readonly action: "timeout" }
  | { readonly action: "unsupported"; readonly reason?: string };

/** A question that the host must ask. */
export type OpenQuestion = Question & {
  readonly key: string;
  /** 1, and one more after each answer that did not fit. */
  readonly attempt: number;
  /** The problem of the last answer: "must be at most 30". */
  readonly hint?: string;
  /** How long it may be open, in milliseconds. Set together with `deadline`; without both, it is open until it is answered. */
  readonly wait?: number;
  /** The end of that time, in milliseconds since 1970. */
  readonly deadline?: number;
};

/** The open questions of a body, by key. */
export type Round = { readonly [key: string]: OpenQuestion };

/** The replies to a round, by key. Questions without a reply stay open. */
export type Replies = { readonly [key: string]: Reply };
