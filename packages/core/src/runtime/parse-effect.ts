/**
 * The one gate from `unknown` to an effect.
 *
 * What a constructor made passes as it is. Raw data is read in its long form
 * (`{ emit: "ask", ask: "text", … }`), its short form (`{ ask: "text", … }`) and
 * in the spellings of other Photon runtimes, and goes through the same
 * constructors. Anything else is thrown, with what was yielded and what is legal.
 */
import { ask, askKinds } from "../asks/builders.ts";
import { makeAsk } from "../asks/make-ask.ts";
import { isBuilt } from "../asks/yieldable.ts";
import type { Ask, AskKind } from "../ask-types.ts";
import { emit, roots, sample, step } from "../effect-builders.ts";
import { type Content, readContent } from "../content.ts";
import type {
  AskAll,
  AskEffect,
  AskOutcome,
  Effect,
  Emit,
  OnUnknownStep,
  Question,
  SampleMessage,
  Step,
} from "../effects.ts";
import { InvalidAsk, PhotonError, UnknownEffect } from "../errors.ts";
import { isPlainObject } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";

type Raw = Readonly<Record<string, unknown>>;

const VALID_EFFECTS =
  'Legal are emit "status", "progress", "log", "artifact", "stream", "ask", "step", "sample", "roots", ' +
  `and ask ${[...Object.keys(askKinds), "all", "outcome"].map((kind) => JSON.stringify(kind)).join(", ")}.`;

/** Fields of other Photon runtimes that only say how a question looks. */
const PRESENTATION_FIELDS = new Set([
  "placeholder",
  "layout",
  "columns",
  "filters",
  "filterField",
  "searchable",
  "searchPlaceholder",
  "step",
]);

/** Reads what a body yielded. */
export function parseEffect(yielded: unknown): Effect {
  try {
    if (isPlainObject(yielded)) {
      // Our own constructors made it, and have checked it.
      if (isBuilt(yielded)) return yielded;
      const effect = readRaw(yielded);
      if (effect !== undefined) return effect;
    }
  } catch (error) {
    if (error instanceof PhotonError) throw error;
    // A proxy or a getter that throws: what was yielded cannot even be read.
    throw new UnknownEffect(`A tool yielded ${describeValue(yielded)}. ${VALID_EFFECTS}`, { cause: error });
  }
  throw new UnknownEffect(`A tool yielded ${describeValue(yielded)}.${hintFor(yielded)} ${VALID_EFFECTS}`);
}

/** Whether an effect waits for an answer. */
export function isAskEffect(effect: Effect): effect is AskEffect {
  return effect.emit === "ask" || effect.emit === "sample" || effect.emit === "roots";
}

function hintFor(yielded: unknown): string {
  try {
    if (yielded instanceof Promise) return " Await it first.";
    if (typeof yielded === "string") return ` Say it as { emit: "status", message: … }.`;
    if (typeof yielded !== "object" || yielded === null) return "";
    if (Symbol.asyncIterator in yielded) return " Delegate to it with yield*.";
    const name: unknown = "emit" in yielded ? yielded.emit : undefined;
    return typeof name === "string" ? ` There is no emit ${JSON.stringify(name)}.` : "";
  } catch {
    return "";
  }
}

function readRaw(raw: Raw): Effect | undefined {
  if (raw["emit"] === undefined) return typeof raw["ask"] === "string" ? readAsk(raw) : undefined;
  switch (raw["emit"]) {
    case "ask":
      return readAsk(raw);
    case "step":
      return readStep(raw);
    case "sample":
      return readSample(raw);
    case "roots":
      return roots(without(raw, ["emit"]));
    default:
      return readEmit(raw);
  }
}

function readEmit(raw: Raw): Emit | undefined {
  switch (raw["emit"]) {
    case "status":
    case "toast":
      return emit.status(textIn(raw, "message"));
    case "thinking":
      return emit.status(raw["active"] === false ? "Done thinking" : "Thinking");
    case "progress":
      // `emit.progress` refuses what is no number.
      return emit.progress(
        raw["value"] as number,
        raw["message"] === undefined ? undefined : textIn(raw, "message"),
      );
    case "stream":
      return emit.stream(streamed(raw));
    case "log":
      return readLog(raw);
    case "artifact":
      return emit.artifact(readArtifact(raw));
    default:
      return undefined;
  }
}

function streamed(raw: Raw): string {
  const chunk = raw["data"] ?? raw["text"];
  return typeof chunk === "string" ? chunk : (JSON.stringify(chunk) ?? "");
}

function readLog(raw: Raw): Emit {
  const level = raw["level"] === "warn" ? "warning" : (raw["level"] ?? "info");
  const { message, data } = raw;
  const told = message === undefined ? data : data === undefined ? message : { message, data };
  // `emit.log` refuses a level it does not know.
  return emit.log(level as "info", told);
}

function readArtifact(raw: Raw): Content {
  const block =
    readContent(raw["content"]) ?? readContent(without(raw, ["emit"])) ?? parseCompatArtifact(raw);
  if (block !== undefined) return block;
  throw new UnknownEffect(
    `An artifact is text, image, audio, resource or link with what belongs to it, not ${describeValue(raw)}.`,
  );
}

/** `{ type: "image" | "code" | "document" | "embed" | "json", url | content, title }`, as other Photon runtimes write it. */
function parseCompatArtifact(raw: Raw): Content | undefined {
  const { url, content, title, mimeType } = raw;
  if (typeof content === "string") return { type: "text", text: content };
  if (typeof url !== "string") return undefined;
  return {
    type: "link",
    uri: url,
    name: typeof title === "string" ? title : url,
    ...(typeof mimeType === "string" ? { mimeType } : {}),
  };
}

function readStep(raw: Raw): Step {
  const { step: kind = "call", name, run, onUnknown } = raw;
  if (kind === "now" || kind === "random" || kind === "uuid") return step[kind]();
  if (kind !== "call")
    throw new UnknownEffect(
      `A tool yielded ${describeValue(raw)}: there is no step ${describeValue(kind)}. ${VALID_EFFECTS}`,
    );
  // `step` refuses what is no name and what is no function.
  const options = onUnknown === undefined ? {} : { onUnknown: onUnknown as OnUnknownStep<unknown> };
  return step(name as string, run as () => unknown, options);
}

function readSample(raw: Raw): Question {
  const { messages, prompt, ...rest } = without(raw, ["emit"]);
  // `sample` refuses what has no messages.
  return sample((messages ?? prompt) as string | readonly SampleMessage[], rest);
}

function readAsk(raw: Raw): AskEffect {
  switch (raw["ask"]) {
    case "all":
      return readAll(raw);
    case "outcome":
      return readOutcome(raw);
    case undefined:
      if ("schema" in raw)
        return makeAsk(askKinds.form, textIn(raw, "message"), without(raw, ["emit", "message"]));
      throw new UnknownEffect(
        `A tool yielded ${describeValue(raw)}: an ask says what it asks for. ${VALID_EFFECTS}`,
      );
    default:
      return readOne(raw);
  }
}

function readAll(raw: Raw): AskAll {
  const asks = isPlainObject(raw["asks"]) ? raw["asks"] : {};
  const read = Object.entries(asks).map(([id, one]) => [id, parseEffect(one)]);
  // `ask.all` refuses what is no question.
  return ask.all(Object.fromEntries(read) as never);
}

function readOutcome(raw: Raw): AskOutcome {
  // `ask.outcome` refuses what is no question.
  return ask.outcome(parseEffect(raw["of"]) as never);
}

function readOne(raw: Raw): Ask {
  const kind = kindOf(raw);
  if (kind === undefined)
    throw new UnknownEffect(
      `A tool yielded ${describeValue(raw)}: there is no ask ${describeValue(raw["ask"])}. ${VALID_EFFECTS}`,
    );
  const message = textIn(raw, "message");
  if (raw["required"] === false) {
    throw new InvalidAsk(message, "required: false does not say what to go on with; give it a fallback");
  }
  const dropped = [
    "emit",
    "ask",
    "message",
    "required",
    "multi",
    "includeTime",
    "multiple",
    "elicitationId",
    ...PRESENTATION_FIELDS,
  ];
  if (raw["multiple"] === true) throw new InvalidAsk(message, "one ask.file takes one file");
  return makeAsk<Ask, unknown>(askKinds[kind], message, {
    ...without(raw, dropped),
    ...(raw["includeTime"] === true ? { time: true } : {}),
    ...(typeof raw["accept"] === "string"
      ? { accept: raw["accept"].split(",").map((type) => type.trim()) }
      : {}),
  });
}

function kindOf(raw: Raw): AskKind | undefined {
  const { ask: kind } = raw;
  if (kind === "password") return "secret";
  if (kind === "select" && raw["multi"] === true) return "multiselect";
  return (Object.keys(askKinds) as AskKind[]).find((known) => known === kind);
}

function textIn(raw: Raw, field: string): string {
  const text = raw[field];
  if (typeof text === "string") return text;
  throw new UnknownEffect(`A tool yielded ${describeValue(raw)}: its ${field} is a text. ${VALID_EFFECTS}`);
}

function without(raw: Raw, names: readonly string[]): Raw {
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !names.includes(name)));
}
