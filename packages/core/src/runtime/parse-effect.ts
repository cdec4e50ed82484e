/**
 * Parses what a body yielded: unknown → effect.
 *
 *   1. An effect that a builder created passes as it is.
 *   2. A raw effect, in its long form (`{ emit: "ask", ask: "text", … }`), its short form (`{ ask: "text", … }`) or a spelling of
 *      other Photon runtimes (compat.ts), is created anew by the same builders.
 *   3. Everything else throws `UnknownEffect`, which says what was yielded and what may be.
 */
import { askKinds, descriptorOf } from "../asks/ask.ts";
import { makeAsk } from "../asks/ask-kind.ts";
import { ask, emit, isBuilt, roots, sample, step } from "../effect-builders.ts";
import { type Content, parseContent } from "../content.ts";
import type { AskEffect, Effect, OnUnknownStep, Question, SampleMessage, Step } from "../effects.ts";
import { PhotonError, UnknownEffect } from "../errors.ts";
import { getOwn, isPlainObject, omit } from "../util/json.ts";
import { describeValue } from "../util/describe-value.ts";
import { compatArtifact, type RawObject, translateCompat } from "./compat.ts";

/** A raw effect is malformed. The message ends the sentence "A tool yielded …". */
class MalformedEffect extends Error {}

export function parseEffect(yielded: unknown): Effect {
  try {
    if (isPlainObject(yielded)) {
      if (isBuilt(yielded)) return yielded;
      const effect = parseRaw(translateCompat(yielded));
      if (effect !== undefined) return effect;
    }
  } catch (error) {
    if (error instanceof PhotonError) throw error;
    const problem = error instanceof MalformedEffect ? `: ${error.message}` : "";
    // Other errors come from a proxy or a getter that throws.
    throw new UnknownEffect(`A tool yielded ${describeValue(yielded)}${problem}. ${VALID_EFFECTS}`, {
      cause: error,
    });
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
    if (typeof yielded === "string") return ` Write { emit: "status", message: … }.`;
    if (typeof yielded !== "object" || yielded === null) return "";
    if (Symbol.asyncIterator in yielded) return " Delegate to it with yield*.";
    const name: unknown = "emit" in yielded ? yielded.emit : undefined;
    return typeof name === "string" ? ` There is no emit ${JSON.stringify(name)}.` : "";
  } catch {
    return "";
  }
}

// The casts below: each builder checks what it is given, and throws an error that names it.

/** By the `emit` of a raw effect. */
const PARSERS: { readonly [emit: string]: (raw: RawObject) => Effect } = {
  status: (raw) => emit.status(textIn(raw, "message")),
  progress: (raw) =>
    emit.progress(raw["value"] as number, raw["message"] === undefined ? undefined : textIn(raw, "message")),
  log: (raw) => emit.log(raw["level"] as "info", raw["data"]),
  artifact: (raw) => emit.artifact(parseArtifact(raw)),
  stream: (raw) => emit.stream(textIn(raw, "text")),
  ask: parseAsk,
  step: parseStep,
  sample: parseSample,
  roots: (raw) => roots(omit(raw, ["emit"])),
};

function parseRaw(raw: RawObject): Effect | undefined {
  const { emit: name, ask: kind } = raw;
  if (name === undefined) return typeof kind === "string" ? parseAsk(raw) : undefined;
  return typeof name === "string" ? getOwn(PARSERS, name)?.(raw) : undefined;
}

const VALID_EFFECTS =
  'Yield emit "status", "progress", "log", "artifact", "stream", "ask", "step", "sample" or "roots", ' +
  `with ask ${[...askKinds, "all", "outcome"].map((kind) => JSON.stringify(kind)).join(", ")}.`;

function parseArtifact(raw: RawObject): Content {
  const content = parseContent(raw["content"]) ?? parseContent(omit(raw, ["emit"])) ?? compatArtifact(raw);
  if (content !== undefined) return content;
  throw new MalformedEffect("the content of an artifact is a text, image, audio, resource or link");
}

function parseStep(raw: RawObject): Step {
  const { step: kind = "call", name, run, onUnknown } = raw;
  if (kind === "now" || kind === "random" || kind === "uuid") return step[kind]();
  if (kind !== "call") throw new MalformedEffect(`there is no step ${describeValue(kind)}`);
  const options = onUnknown === undefined ? {} : { onUnknown: onUnknown as OnUnknownStep<unknown> };
  return step(name as string, run as () => unknown, options);
}

function parseSample(raw: RawObject): Question {
  const { messages, prompt, ...rest } = omit(raw, ["emit"]);
  return sample((messages ?? prompt) as string | readonly SampleMessage[], rest);
}

function parseAsk(raw: RawObject): AskEffect {
  const name = raw["ask"] ?? ("schema" in raw ? "form" : undefined);
  if (name === undefined) throw new MalformedEffect("it has no ask");
  if (name === "outcome") return ask.outcome(parseEffect(raw["of"]) as never);
  if (name === "all") {
    const asks = isPlainObject(raw["asks"]) ? raw["asks"] : {};
    const parsed = Object.entries(asks).map(([id, one]) => [id, parseEffect(one)]);
    return ask.all(Object.fromEntries(parsed) as never);
  }
  const kind = askKinds.find((known) => known === name);
  if (kind === undefined) throw new MalformedEffect(`there is no ask ${describeValue(name)}`);
  return makeAsk(descriptorOf({ ask: kind }), textIn(raw, "message"), omit(raw, ["emit", "ask", "message"]));
}

function textIn(raw: RawObject, field: string): string {
  const text = raw[field];
  if (typeof text === "string") return text;
  throw new MalformedEffect(`its ${field} must be a string`);
}
