/** The constructors of what a tool tells: `emit.status(…)`, `emit.image(…)`, …. Data only. */
import { yieldable, type Yieldable, brandBuilt } from "./asks/yieldable.ts";
import { type Content, type LinkContent, readContent, type ResourceContent } from "./content.ts";
import {
  type Artifact,
  type Emit,
  type Log,
  type LogLevel,
  logLevels,
  type OnUnknownStep,
  type Progress,
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
import { trackEmit } from "./unyielded-effects.ts";
import { capital, describeValue } from "./util/describe-value.ts";
import { optionsProblem } from "./asks/make-ask.ts";

function status(message: string): Status {
  return made({ emit: "status", message: textOf(message, "A status") });
}

/** How far it is, from 0 to 1. */
function progress(value: number, message?: string): Progress {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
    throw new UnknownEffect(`A progress is a number from 0 to 1, not ${describeValue(value)}.`);
  }
  if (message === undefined) return made({ emit: "progress", value });
  return made({ emit: "progress", value, message: textOf(message, "A progress") });
}

function log(level: LogLevel, data: unknown): Log {
  if (!logLevels.includes(level))
    throw new UnknownEffect(`${describeValue(level)} is no log level; there is ${logLevels.join(", ")}.`);
  const copied = copyJson(data instanceof Error ? { name: data.name, message: data.message } : data);
  // A log must not stop the tool that writes it: what is not JSON is told in words.
  const json: Json = "json" in copied ? copied.json : wordsFor(data);
  return made({ emit: "log", level, data: json });
}

function wordsFor(data: unknown): string {
  try {
    return JSON.stringify(data) ?? describeValue(data);
  } catch {
    return describeValue(data);
  }
}

function artifact(content: Content): Artifact {
  const read = readContent(content);
  if (read === undefined) {
    throw new UnknownEffect(
      `${capital(describeValue(content))} is no content; it is text, image, audio, resource or link with what belongs to it.`,
    );
  }
  return made({ emit: "artifact", content: Object.freeze(read) });
}

function text(value: string): Artifact {
  return artifact({ type: "text", text: textOf(value, "A text") });
}

/** An image, as base64 or bytes. */
function image(data: string | Uint8Array, mimeType: string): Artifact {
  return artifact({ type: "image", data, mimeType });
}

/** A sound, as base64 or bytes. */
function audio(data: string | Uint8Array, mimeType: string): Artifact {
  return artifact({ type: "audio", data, mimeType });
}

function resource(content: Omit<ResourceContent, "type">): Artifact {
  return artifact({ type: "resource", ...content });
}

function link(content: Omit<LinkContent, "type">): Artifact {
  return artifact({ type: "link", ...content });
}

/** Text as it comes; the text of the result where the tool returns nothing. */
function stream(chunk: string): Stream {
  return made({ emit: "stream", text: textOf(chunk, "A stream") });
}

/** Freezes what was looked at, so that the gate lets it pass. */
function made<Made extends Emit>(effect: Made): Made {
  brandBuilt(effect);
  trackEmit(effect);
  return Object.freeze(effect);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new UnknownEffect(`${what} has a text, not ${describeValue(value)}.`);
}

/** What a tool tells, without waiting for anybody. */
export const emit: {
  readonly status: typeof status;
  readonly progress: typeof progress;
  readonly log: typeof log;
  readonly artifact: typeof artifact;
  readonly text: typeof text;
  readonly image: typeof image;
  readonly audio: typeof audio;
  readonly resource: typeof resource;
  readonly link: typeof link;
  readonly stream: typeof stream;
} = { status, progress, log, artifact, text, image, audio, resource, link, stream };

/** Does something once in a run, however often the run is replayed; the result is JSON. */
function call<T>(
  name: string,
  run: (context: StepContext) => T | Promise<T>,
  options: { readonly onUnknown?: OnUnknownStep<T> } = {},
): Yieldable<Step, T> {
  if (typeof name !== "string" || name === "" || name.includes("#")) {
    throw new InvalidDefinition(`A step has a name without "#", not ${describeValue(name)}.`);
  }
  if (typeof run !== "function") {
    throw new InvalidDefinition(
      `The step ${JSON.stringify(name)} has a function to run, not ${describeValue(run)}.`,
    );
  }
  const { onUnknown } = options;
  if (
    onUnknown !== undefined &&
    onUnknown !== "fail" &&
    onUnknown !== "retry" &&
    typeof onUnknown !== "function"
  ) {
    throw new InvalidDefinition(
      `The step ${JSON.stringify(name)} has an onUnknown that is ${describeValue(onUnknown)}; it is "fail", "retry" or a function.`,
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

const recorded = <T>(step: "now" | "random" | "uuid"): Yieldable<Step, T> =>
  yieldable({ emit: "step", step, name: `step.${step}` });

/** `yield* step(name, fn)`; and the recorded `step.now()`, `step.random()`, `step.uuid()`. */
export const step: typeof call & {
  /** Milliseconds since 1970, the same on replay. */
  readonly now: () => Yieldable<Step, number>;
  /** A number from 0 up to 1, the same on replay. */
  readonly random: () => Yieldable<Step, number>;
  readonly uuid: () => Yieldable<Step, string>;
} = Object.assign(call, {
  now: () => recorded<number>("now"),
  random: () => recorded<number>("random"),
  uuid: () => recorded<string>("uuid"),
});

/** The two other things a tool can ask of the other side: its model, and its folders. */

/** What a sample may say beyond its messages. */
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

/** Asks the client's model; a text stands for one message of the user. */
export function sample(
  prompt: string | readonly SampleMessage[],
  options: SampleOptions = {},
): Yieldable<Sample, SampleAnswer> {
  refuse("sample", options, SAMPLE_OPTIONS);
  const odd = oddOption(options);
  if (odd !== undefined) throw new InvalidAsk("sample", odd);
  const { maxTokens = 1000 } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new InvalidAsk(
      "sample",
      `its maxTokens are ${describeValue(maxTokens)}; give a whole number above 0`,
    );
  }
  // Copied before they are looked at, so that what was looked at is what is sent.
  const copied = frozenCopy({ ...options, maxTokens, messages: messagesFrom(prompt) });
  return yieldable({ ...copied, emit: "sample" });
}

/** Asks the client for the folders it works in. */
export function roots(options: Omit<Roots, "emit"> = {}): Yieldable<Roots, readonly Root[]> {
  refuse("roots", options, ROOTS_OPTIONS);
  return yieldable({ ...frozenCopy(options), emit: "roots" });
}

function messagesFrom(prompt: unknown): readonly SampleMessage[] {
  if (typeof prompt === "string") return [{ role: "user", content: { type: "text", text: prompt } }];
  if (!Array.isArray(prompt) || prompt.length === 0)
    throw new InvalidAsk("sample", `${describeValue(prompt)} has no messages`);
  return prompt.map((message: unknown) => {
    const { role, content }: Readonly<Record<string, unknown>> = isPlainObject(message) ? message : {};
    const blocks = (Array.isArray(content) ? content : [content]).map(readContent);
    if ((role !== "user" && role !== "assistant") || blocks.length === 0 || blocks.includes(undefined)) {
      throw new InvalidAsk(
        "sample",
        `${describeValue(message)} is no message; it has a role, user or assistant, and content`,
      );
    }
    // Every block was read.
    return { role, content: (Array.isArray(content) ? blocks : blocks[0]) as Content | readonly Content[] };
  });
}

/** What is wrong with the settings of a sample that only its model reads. */
function oddOption({ systemPrompt, temperature, stopSequences }: SampleOptions): string | undefined {
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    return `its systemPrompt is ${describeValue(systemPrompt)}; it is a text`;
  if (temperature !== undefined && !Number.isFinite(temperature))
    return `its temperature is ${describeValue(temperature)}; it is a number`;
  const isList =
    stopSequences === undefined ||
    (Array.isArray(stopSequences) && stopSequences.every((one) => typeof one === "string"));
  return isList
    ? undefined
    : `its stopSequences are ${describeValue(stopSequences)}; they are a list of texts`;
}

function refuse(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  const problem =
    unknown === undefined
      ? optionsProblem(options)
      : `it has no ${JSON.stringify(unknown)}; it has ${known.join(", ")}`;
  if (problem !== undefined) throw new InvalidAsk(what, problem);
}
