/** The constructors of what a tool tells: `emit.status(…)`, `emit.image(…)`, …. Data only. */
import type { Content, LinkContent, ResourceContent } from "./content.ts";
import type { Artifact, Log, LogLevel, Progress, Status, Stream } from "./effects.ts";
import { InvalidDefinition, UnknownEffect } from "./errors.ts";
import { copyJson, type Json } from "./json.ts";
import { show } from "./show.ts";

export const logLevels: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

function status(message: string): Status {
  return Object.freeze({ emit: "status", message: textOf(message, "A status") });
}

/** How far it is, from 0 to 1. */
function progress(value: number, message?: string): Progress {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) {
    throw new UnknownEffect(`A progress is a number from 0 to 1, not ${show(value)}.`);
  }
  return Object.freeze({
    emit: "progress",
    value,
    ...(message === undefined ? {} : { message: textOf(message, "A progress") }),
  });
}

function log(level: LogLevel, data: unknown): Log {
  if (!logLevels.includes(level))
    throw new UnknownEffect(`${show(level)} is no log level; there is ${logLevels.join(", ")}.`);
  const copied = copyJson(data instanceof Error ? { name: data.name, message: data.message } : data);
  // A log must not stop the tool that writes it: what is not JSON is told in words.
  const json: Json = "json" in copied ? copied.json : wordsFor(data);
  return Object.freeze({ emit: "log", level, data: json });
}

function wordsFor(data: unknown): string {
  try {
    return JSON.stringify(data) ?? show(data);
  } catch {
    return show(data);
  }
}

function artifact(content: Content): Artifact {
  return Object.freeze({ emit: "artifact", content: Object.freeze({ ...content }) });
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
  return Object.freeze({ emit: "stream", text: textOf(chunk, "A stream") });
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new InvalidDefinition(`${what} has a text, not ${show(value)}.`);
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
