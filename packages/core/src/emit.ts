/** The constructors of what a tool tells: `emit.status(…)`, `emit.image(…)`, …. Data only. */
import { markMade } from "./ask/answerable.ts";
import { readContent, type Content, type LinkContent, type ResourceContent } from "./content.ts";
import {
  logLevels,
  type Artifact,
  type Emit,
  type Log,
  type LogLevel,
  type Progress,
  type Status,
  type Stream,
} from "./effects.ts";
import { UnknownEffect } from "./errors.ts";
import { copyJson, type Json } from "./util/json.ts";
import { noteEmit } from "./made-effects.ts";
import { capital, show } from "./util/describe-value.ts";

function status(message: string): Status {
  return made({ emit: "status", message: textOf(message, "A status") });
}

/** How far it is, from 0 to 1. */
function progress(value: number, message?: string): Progress {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
    throw new UnknownEffect(`A progress is a number from 0 to 1, not ${show(value)}.`);
  }
  if (message === undefined) return made({ emit: "progress", value });
  return made({ emit: "progress", value, message: textOf(message, "A progress") });
}

function log(level: LogLevel, data: unknown): Log {
  if (!logLevels.includes(level))
    throw new UnknownEffect(`${show(level)} is no log level; there is ${logLevels.join(", ")}.`);
  const copied = copyJson(data instanceof Error ? { name: data.name, message: data.message } : data);
  // A log must not stop the tool that writes it: what is not JSON is told in words.
  const json: Json = "json" in copied ? copied.json : wordsFor(data);
  return made({ emit: "log", level, data: json });
}

function wordsFor(data: unknown): string {
  try {
    return JSON.stringify(data) ?? show(data);
  } catch {
    return show(data);
  }
}

function artifact(content: Content): Artifact {
  const read = readContent(content);
  if (read === undefined) {
    throw new UnknownEffect(
      `${capital(show(content))} is no content; it is text, image, audio, resource or link with what belongs to it.`,
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
  markMade(effect);
  noteEmit(effect);
  return Object.freeze(effect);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new UnknownEffect(`${what} has a text, not ${show(value)}.`);
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
