/**
 * Reads the forms of pages: urlencoded ones into memory, and multipart ones with a file, which is streamed to disk.
 *
 *   1. The file is accepted only after the token of the page's own form, which is sent before it.
 *   2. It never takes more than its limit on disk.
 *   3. The browser chooses its name and type, but not its path.
 *   4. An upload may last until the deadline of the question, while bytes arrive.
 */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { createWriteStream } from "node:fs";
import type { BusboyInstance } from "@fastify/busboy";
import type { Clock } from "@photon/core";
import { isRecord } from "../jsonrpc/messages.ts";
import {
  hasMediaType,
  isCompressed,
  MESSAGE_TIMES,
  readInto,
  type ReadOutcome,
  TextSink,
} from "../http/body.ts";
import { exemptFromTimeout } from "../http/request-timeouts.ts";
import { notice } from "./notices.ts";
import type { PageResponse } from "./send-page.ts";

/** The page that says why a form was refused. */
const REFUSALS: Readonly<Record<Exclude<ReadOutcome, "complete">, PageResponse>> = {
  "too large": notice("tooLarge"),
  refused: notice("tooLarge"),
  "too slow": notice("tooSlow"),
  disconnected: notice("incomplete"),
  aborted: notice("badRequest"),
};

/** Reads a form without a file, unless the app around the server has read it already. */
export async function readForm(
  request: IncomingMessage & { readonly body?: unknown },
  { clock, maxBytes, signal }: { clock: Clock; maxBytes: number; signal: AbortSignal },
): Promise<URLSearchParams | PageResponse> {
  if (!hasMediaType(request, "application/x-www-form-urlencoded") || isCompressed(request))
    return notice("notForm");
  if (isRecord(request.body)) return paramsOf(request.body);
  const text = new TextSink();
  const outcome = await readInto(request, text, { clock, maxBytes, ...MESSAGE_TIMES, signal });
  return outcome === "complete" ? new URLSearchParams(text.toString()) : REFUSALS[outcome];
}

function paramsOf(body: { readonly [name: string]: unknown }): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(body))
    for (const value of [values].flat()) if (typeof value === "string") form.append(name, value);
  return form;
}

/** The size of the form beside the file, in bytes. */
const MAX_FIELD_BYTES = 64 * 1024;
/** More parts than the form of a page has. */
const MAX_PARTS = 10;
/** The slowest upload: so many bytes in so many milliseconds, 273 in a second. */
const UPLOAD_IDLE_MS = 30_000;
const MIN_UPLOAD_BYTES = 8 * 1024;

export interface Upload {
  readonly form: URLSearchParams;
  /** `undefined` if the user has chosen no file. */
  readonly file: { readonly name: string; readonly type: string; readonly path: string } | undefined;
}

interface UploadOptions {
  readonly clock: Clock;
  /** Where the file is written. */
  readonly path: string;
  readonly maxBytes: number;
  /** Whether a form has the token of the page. */
  readonly isOwnForm: (form: URLSearchParams) => boolean;
  readonly signal: AbortSignal;
}

/** Reads a form with a file. Throws if the disk fails; the caller removes the file. */
export async function readUpload(
  request: IncomingMessage,
  { clock, path, maxBytes, isOwnForm, signal }: UploadOptions,
): Promise<Upload | PageResponse | "file too large"> {
  const parser = await createParser(request, maxBytes);
  if (parser === undefined) return notice("notForm");
  const form = new URLSearchParams();
  let file: Upload["file"];
  let stream: Readable | undefined;
  /** Resolves when the file is closed, with the error of the disk. */
  let written: Promise<Error | undefined> | undefined;
  let problem: "too large" | "not own form" | undefined;
  const stop = new AbortController();
  parser.on("field", (name, value) => form.append(name, value));
  parser.on("file", (_, content, name, __, type) => {
    stream = content;
    // It fails together with the request, which is handled below.
    content.on("error", () => {});
    // The user has chosen no file.
    if (name === undefined || name === "") return void content.resume();
    if (!isOwnForm(form)) {
      problem = "not own form";
      return stop.abort();
    }
    content.once("limit", () => {
      problem = "too large";
      stop.abort();
    });
    file = { name: safeName(name), type: safeType(type), path };
    written = write(content, path, () => stop.abort());
  });
  const isParsed = finished(parser).then(
    () => true,
    () => false,
  );
  exemptFromTimeout(request);
  const outcome = await readInto(request, parser, {
    clock,
    maxBytes: maxBytes + MAX_FIELD_BYTES,
    idleMs: UPLOAD_IDLE_MS,
    minBytesPerIdle: MIN_UPLOAD_BYTES,
    signal: AbortSignal.any([signal, stop.signal]),
  });
  const isComplete = outcome === "complete" && (await isParsed);
  if (!isComplete) {
    parser.destroy();
    stream?.destroy();
  }
  const diskError = await written;
  if (diskError !== undefined) throw diskError;
  if (isComplete) return { form, file };
  if (problem === "too large" || outcome === "too large") return "file too large";
  if (problem === "not own form") return notice("outdatedForm");
  return outcome === "complete" ? notice("badRequest") : REFUSALS[outcome];
}

/** A parser of a multipart body; `undefined` if the body is not multipart. */
async function createParser(request: IncomingMessage, maxBytes: number): Promise<BusboyInstance | undefined> {
  const { headers } = request;
  const type = headers["content-type"];
  if (type === undefined || !hasMediaType(request, "multipart/form-data") || isCompressed(request))
    return undefined;
  // Loaded with the first upload.
  const { Busboy } = await import("@fastify/busboy");
  const limits = {
    fileSize: maxBytes,
    files: 1,
    parts: MAX_PARTS,
    fieldSize: MAX_FIELD_BYTES,
    headerPairs: 20,
    headerSize: 8192,
  };
  try {
    return new Busboy({ headers: { ...headers, "content-type": type }, preservePath: true, limits });
  } catch {
    // The Content-Type has no boundary.
    return undefined;
  }
}

/** Writes a file. Resolves when it is closed, with the error of the disk; an error of the content is handled elsewhere. */
function write(content: Readable, path: string, onError: () => void): Promise<Error | undefined> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  return new Promise((resolve) => {
    let diskError: Error | undefined;
    file.once("error", (error) => {
      if ("syscall" in error) diskError = error;
      onError();
    });
    file.once("close", () => resolve(diskError));
    // Not `pipeline()`: it never settles if the content is destroyed between its last byte and `end`.
    content.once("close", () => {
      if (!content.readableEnded) file.destroy();
    });
    content.pipe(file);
  });
}

const MAX_NAME_LENGTH = 120;
const MAX_EXTENSION_LENGTH = 16;

/** Control characters, and those that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Names of devices on Windows, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** A safe file name: no folders, no devices, no characters that a file system or shell treats specially. */
export function safeName(given: string): string {
  const [last = ""] = given.normalize("NFC").split(/[/\\]/).slice(-1);
  const clean = last
    .replaceAll(INVISIBLE, "")
    .replaceAll(/[<>:"|?*]/g, "_")
    .replace(/^\s+/, "")
    .replace(/[\s.]+$/, "");
  if (clean === "") return "file";
  return shorten(DEVICES.test(clean) ? `_${clean}` : clean);
}

/** Shortens a name, and keeps its extension. */
function shorten(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_LENGTH) return name;
  const dot = characters.lastIndexOf(".");
  const extension = dot > 0 && characters.length - dot <= MAX_EXTENSION_LENGTH ? characters.slice(dot) : [];
  return [...characters.slice(0, MAX_NAME_LENGTH - extension.length), ...extension].join("");
}

/** A media type; `application/octet-stream` if it is invalid. */
export function safeType(given: string | undefined): string {
  const [type = ""] = (given ?? "").toLowerCase().split(";", 1);
  return /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}$/.test(type.trim())
    ? type.trim()
    : "application/octet-stream";
}
