/**
 * The builders of effects: `emit.status(…)`, …, `ask.text(…)`, …, `step(…)`, `sample(…)`, `roots()`.
 *
 * They check their arguments, and create frozen data: the interpreter performs it when it is yielded.
 */
import { type AskConstructors, askConstructors } from "./asks/ask.ts";
import { idProblem, optionsProblem } from "./asks/ask-kind.ts";
import { optional } from "./asks/form.ts";
import { addBrand, type AnswerOf, hasBrand, yieldable, type Yieldable } from "./asks/yieldable.ts";
import {
  type Content,
  type LinkContent,
  parseBlocks,
  parseContent,
  type ResourceContent,
} from "./content.ts";
import {
  type Artifact,
  type AskAll,
  type AskOutcome,
  type Effect,
  type Emit,
  type Log,
  type LogLevel,
  logLevels,
  type OnUnknownStep,
  type Outcome,
  type Progress,
  type Question,
  type Root,
  type Roots,
  type Sample,
  type SampleAnswer,
  type SampleMessage,
  type Status,
  type Step,
  type StepContext,
  type Stream,
} from "./effects.ts";
import { InvalidAsk, InvalidDefinition, UnknownEffect } from "./errors.ts";
import { copyJson, frozenCopy, isPlainObject, type Json } from "./util/json.ts";
import { markUsed, trackEmit } from "./unyielded-effects.ts";
import { describeValue } from "./util/describe-value.ts";

/** Whether a value is an effect that a builder has made and checked. */
export const isBuilt = (value: unknown): value is Effect =>
  typeof value === "object" && value !== null && hasBrand(value);

/** Marks an effect as checked, so that `parseEffect` lets it pass. */
function built<Built extends Emit>(effect: Built): Built {
  addBrand(effect);
  trackEmit(effect);
  return Object.freeze(effect);
}

function assertText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new UnknownEffect(`${what} must be text, not ${describeValue(value)}.`);
}

function toText(data: unknown): string {
  try {
    return JSON.stringify(data) ?? describeValue(data);
  } catch {
    return describeValue(data);
  }
}

/** `yield emit.status("…")`, …: effects without an answer. */
export const emit = {
  status: (message: string): Status =>
    built({ emit: "status", message: assertText(message, "The message of a status") }),

  /** `value` is from 0 to 1. */
  progress: (value: number, message?: string): Progress => {
    if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
      throw new UnknownEffect(
        `The value of a progress must be a number from 0 to 1, not ${describeValue(value)}.`,
      );
    }
    if (message === undefined) return built({ emit: "progress", value });
    return built({ emit: "progress", value, message: assertText(message, "The message of a progress") });
  },

  log: (level: LogLevel, data: unknown): Log => {
    if (!logLevels.includes(level))
      throw new UnknownEffect(
        `The level of a log must be one of ${logLevels.join(", ")}, not ${describeValue(level)}.`,
      );
    const copied = copyJson(data instanceof Error ? { name: data.name, message: data.message } : data);
    // A log entry must not fail the tool: a value that is not JSON is described.
    const json: Json = "json" in copied ? copied.json : toText(data);
    return built({ emit: "log", level, data: json });
  },

  artifact: (content: Content): Artifact => {
    const parsed = parseContent(content);
    if (parsed !== undefined) return built({ emit: "artifact", content: Object.freeze(parsed) });
    throw new UnknownEffect(
      `The content of an artifact must be a text, image, audio, resource or link, not ${describeValue(content)}.`,
    );
  },

  text: (value: string): Artifact =>
    emit.artifact({ type: "text", text: assertText(value, "The text of an artifact") }),

  /** `data` is base64 or bytes. */
  image: (data: string | Uint8Array, mimeType: string): Artifact =>
    emit.artifact({ type: "image", data, mimeType }),

  /** `data` is base64 or bytes. */
  audio: (data: string | Uint8Array, mimeType: string): Artifact =>
    emit.artifact({ type: "audio", data, mimeType }),

  resource: (content: Omit<ResourceContent, "type">): Artifact =>
    emit.artifact({ type: "resource", ...content }),

  link: (content: Omit<LinkContent, "type">): Artifact => emit.artifact({ type: "link", ...content }),

  /** A chunk of text. All chunks together are the text of the result if the tool returns nothing. */
  stream: (chunk: string): Stream =>
    built({ emit: "stream", text: assertText(chunk, "The text of a stream") }),
} as const;

/** No person answers more at once. */
const MAX_QUESTIONS = 1000;

type Askable = Yieldable<Question | AskOutcome, unknown>;

/** Several questions in one round; answered with an object of their answers. The record's keys are their ids. */
function all<const Asks extends { readonly [id: string]: Askable }>(
  asks: Asks,
): Yieldable<AskAll, { -readonly [Id in keyof Asks]: AnswerOf<Asks[Id]> }> {
  const entries: readonly [string, unknown][] = isPlainObject(asks) ? Object.entries(asks) : [];
  if (entries.length === 0) throw new InvalidAsk("ask.all", "it has no questions");
  if (entries.length > MAX_QUESTIONS) {
    throw new InvalidAsk(
      "ask.all",
      `it has ${entries.length} questions; ask at most ${MAX_QUESTIONS} at once`,
    );
  }
  const named = new Set<string>();
  for (const [id, entry] of entries) {
    const question = questionIn(entry);
    const own = question?.id;
    const problem =
      idProblem(id) ??
      (question === undefined ? notQuestion(entry) : undefined) ??
      (own !== undefined && named.has(own)
        ? `two of its questions have the id ${JSON.stringify(own)}`
        : undefined);
    if (problem !== undefined) throw new InvalidAsk(`ask.all: ${id}`, problem);
    if (own !== undefined) named.add(own);
  }
  for (const question of Object.values(asks)) markUsed(question);
  return yieldable({ emit: "ask", ask: "all", asks: Object.freeze({ ...asks }) });
}

/** How a question ended, as data: `{ action, value? }`. Nothing is thrown. */
function outcome<Answer>(of: Yieldable<Question | AskAll, Answer>): Yieldable<AskOutcome, Outcome<Answer>> {
  const isRound = isPlainObject(of) && isBuilt(of) && "asks" in of;
  if (!isRound && (questionIn(of) === undefined || "of" in of))
    throw new InvalidAsk("ask.outcome", notQuestion(of));
  markUsed(of);
  return yieldable({ emit: "ask", ask: "outcome", of });
}

const notQuestion = (given: unknown): string =>
  `${describeValue(given)} is not a question; give the result of ask, sample or roots`;

/** The question that a constructor made, also inside `ask.outcome`; undefined for anything else. */
function questionIn(entry: unknown): Question | undefined {
  if (typeof entry !== "object" || entry === null || !isBuilt(entry)) return undefined;
  if (entry.emit === "sample" || entry.emit === "roots") return entry;
  if (entry.emit !== "ask" || entry.ask === "all") return undefined;
  return entry.ask === "outcome" ? questionIn(entry.of) : entry;
}

/**
 * Questions to a person: `ask.text(message, options)` and the other kinds, each with the options of its type (`TextAsk`, …); the choices of
 * `select` and `multiselect`, the fields of `form` and the address of `url` are the second argument.
 */
export const ask: AskConstructors & {
  readonly optional: typeof optional;
  readonly all: typeof all;
  readonly outcome: typeof outcome;
} = { ...askConstructors, optional, all, outcome };

/** Runs a function once in a run, however often the run is replayed. Its result must be JSON. */
function call<T>(
  name: string,
  run: (context: StepContext) => T | Promise<T>,
  options: { readonly onUnknown?: OnUnknownStep<T> } = {},
): Yieldable<Step, T> {
  if (typeof name !== "string" || name === "" || name.includes("#"))
    throw new InvalidDefinition(
      `The name of a step must be a non-empty string without "#", not ${describeValue(name)}.`,
    );
  if (typeof run !== "function")
    throw new InvalidDefinition(
      `The second argument of the step ${JSON.stringify(name)} must be a function, not ${describeValue(run)}.`,
    );
  const { onUnknown } = options;
  if (![undefined, "fail", "retry"].includes(onUnknown as string) && typeof onUnknown !== "function") {
    throw new InvalidDefinition(
      `The onUnknown of the step ${JSON.stringify(name)} must be "fail", "retry" or a function, not ${describeValue(onUnknown)}.`,
    );
  }
  return yieldable({
    emit: "step",
    step: "call",
    name,
    run,
    ...(onUnknown === undefined ? {} : { onUnknown }),
  });
}

const recordedValue = <T>(step: "now" | "random" | "uuid"): Yieldable<Step, T> =>
  yieldable({ emit: "step", step, name: `step.${step}` });

/** `yield* step(name, fn)`; and `step.now()`, `step.random()`, `step.uuid()`, whose values are recorded. */
export const step: typeof call & {
  /** Milliseconds since 1970, the same on replay. */
  readonly now: () => Yieldable<Step, number>;
  /** A number from 0 up to 1, the same on replay. */
  readonly random: () => Yieldable<Step, number>;
  readonly uuid: () => Yieldable<Step, string>;
} = Object.assign(call, {
  now: () => recordedValue<number>("now"),
  random: () => recordedValue<number>("random"),
  uuid: () => recordedValue<string>("uuid"),
});

/** The options of `sample`. */
export type SampleOptions = Omit<Sample, "emit" | "messages" | "maxTokens"> & { readonly maxTokens?: number };

const SAMPLE_OPTIONS = [
  "id",
  "timeout",
  "fallback",
  "maxTokens",
  "systemPrompt",
  "temperature",
  "stopSequences",
  "modelPreferences",
];
const ROOTS_OPTIONS = ["id", "timeout", "fallback"];

/** Asks the client's model. A string is one message of the user. */
export function sample(
  prompt: string | readonly SampleMessage[],
  options: SampleOptions = {},
): Yieldable<Sample, SampleAnswer> {
  assertOptions("sample", options, SAMPLE_OPTIONS);
  const { maxTokens = 1000 } = options;
  const problem = sampleOptionProblem({ ...options, maxTokens });
  if (problem !== undefined) throw new InvalidAsk("sample", problem);
  // The messages are copied before they are checked: the author cannot change them afterwards.
  const copied = frozenCopy({ ...options, maxTokens, messages: parseMessages(prompt) });
  return yieldable({ ...copied, emit: "sample" });
}

/** Asks the client for the folders it works in. */
export function roots(options: Omit<Roots, "emit"> = {}): Yieldable<Roots, readonly Root[]> {
  assertOptions("roots", options, ROOTS_OPTIONS);
  return yieldable({ ...frozenCopy(options), emit: "roots" });
}

function parseMessages(prompt: unknown): readonly SampleMessage[] {
  if (typeof prompt === "string") return [{ role: "user", content: { type: "text", text: prompt } }];
  if (!Array.isArray(prompt) || prompt.length === 0)
    throw new InvalidAsk("sample", `give it a text or a list of messages, not ${describeValue(prompt)}`);
  return prompt.map((message: unknown) => {
    const { role, content }: Readonly<Record<string, unknown>> = isPlainObject(message) ? message : {};
    const blocks = parseBlocks(content);
    if ((role !== "user" && role !== "assistant") || blocks === undefined) {
      throw new InvalidAsk(
        "sample",
        `${describeValue(message)} is not a message; give it a role, user or assistant, and content`,
      );
    }
    return { role, content: blocks };
  });
}

function sampleOptionProblem({
  maxTokens,
  systemPrompt,
  temperature,
  stopSequences,
}: SampleOptions): string | undefined {
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    return `its systemPrompt is ${describeValue(systemPrompt)}; give a string`;
  if (temperature !== undefined && !Number.isFinite(temperature))
    return `its temperature is ${describeValue(temperature)}; give a number`;
  const isList =
    stopSequences === undefined ||
    (Array.isArray(stopSequences) && stopSequences.every((one) => typeof one === "string"));
  if (!isList) return `its stopSequences are ${describeValue(stopSequences)}; give a list of strings`;
  return Number.isInteger(maxTokens) && Number(maxTokens) >= 1
    ? undefined
    : `its maxTokens are ${describeValue(maxTokens)}; give a whole number above 0`;
}

function assertOptions(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  const problem =
    unknown === undefined
      ? optionsProblem(options)
      : `it has no option ${JSON.stringify(unknown)}; use ${known.join(", ")}`;
  if (problem !== undefined) throw new InvalidAsk(what, problem);
}
