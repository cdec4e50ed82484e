/**
 * A form with a file, whose bytes go straight to disk.
 *
 *   1. The file is taken only behind the proof that the form is the page's own, which stands before it.
 *   2. It is never larger on disk than it may be.
 *   3. What its sender says is a name and a type, and never a place.
 *   4. It may take as long as its question is open, while it comes.
 */
import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Clock } from "@photon/core";
import { keepTimeOf } from "../http/request-timeouts.ts";
import { safeName, safeType } from "./file-name.ts";
import { notForm, stale, unclear } from "./notices.ts";
import { pour } from "../http/body.ts";
import { isOfType, REFUSALS } from "./receive-form.ts";
import type { Shown } from "./respond.ts";

/** What the form has beside the file, in bytes: its other fields, and what stands between them. */
const BESIDE = 64 * 1024;
/** However long a file takes, so many bytes of it come in every so many milliseconds: 273 in a second. */
const UPLOAD_IDLE_MS = 30_000;
const LEAST = 8 * 1024;
/** The parts of a form of ours, and some to spare. */
const PARTS = 10;

export interface Received {
  readonly form: URLSearchParams;
  /** What was said of the file that lies at the path now; nothing where none was chosen. */
  readonly file?: { readonly name: string; readonly type: string } | undefined;
  readonly isTooLarge: boolean;
}

export interface Receiving {
  readonly clock: Clock;
  /** Where the file goes. */
  readonly path: string;
  readonly maxBytes: number;
  readonly isOwn: (form: URLSearchParams) => boolean;
  readonly signal: AbortSignal;
}

export async function receiveUpload(
  request: IncomingMessage,
  receiving: Receiving,
): Promise<Received | Shown> {
  const { clock, maxBytes, signal } = receiving;
  const intake = new Intake(receiving);
  const parser = await parserFor(request, maxBytes, intake);
  if (parser === undefined) return notForm;
  const isParsed = finished(parser).then(
    () => true,
    () => false,
  );
  keepTimeOf(request);
  const poured = await pour(request, parser, {
    clock,
    bytes: maxBytes + BESIDE,
    idle: UPLOAD_IDLE_MS,
    least: LEAST,
    signal: AbortSignal.any([signal, intake.signal]),
  });
  if (poured === "whole" && (await isParsed)) {
    await intake.close(true);
    return { form: intake.form, file: intake.file, isTooLarge: false };
  }
  parser.destroy();
  await intake.close(false);
  if (intake.isTooLarge || poured === "too large") return { form: intake.form, isTooLarge: true };
  if (intake.isForeign) return stale;
  return poured === "whole" ? unclear : REFUSALS[poured];
}

/** What takes a body apart, into an intake; nothing where it is no form with a file. */
async function parserFor(
  request: IncomingMessage,
  maxBytes: number,
  intake: Intake,
): Promise<Writable | undefined> {
  const { headers } = request;
  const type = headers["content-type"];
  if (type === undefined || !isOfType(request, "multipart/form-data")) return undefined;
  // Loaded with the first upload.
  const { Busboy } = await import("@fastify/busboy");
  const limits = {
    fileSize: maxBytes,
    files: 1,
    parts: PARTS,
    fieldSize: BESIDE,
    headerPairs: 20,
    headerSize: 8192,
  };
  try {
    const parser = new Busboy({ headers: { ...headers, "content-type": type }, preservePath: true, limits });
    // Whoever waits for its end hears of it.
    parser.on("error", () => {});
    parser.on("field", (name, value) => intake.form.append(name, value));
    parser.on("file", (_, stream, name, __, kind) => intake.take(stream, name, kind));
    return parser;
  } catch {
    // There is no boundary.
    return undefined;
  }
}

/** What has come in so far. */
class Intake {
  readonly form = new URLSearchParams();
  file: Received["file"];
  isTooLarge = false;
  isForeign = false;
  readonly #receiving: Receiving;
  readonly #stop = new AbortController();
  #stream: Readable | undefined;
  /** Settles when the file is closed: with what went wrong on disk, if something did. */
  #closed: Promise<unknown> = Promise.resolve();

  constructor(receiving: Receiving) {
    this.#receiving = receiving;
  }

  /** Aborted when nothing more is wanted. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  take(stream: Readable, name: string | undefined, type: string | undefined): void {
    const { path, isOwn } = this.#receiving;
    this.#stream = stream;
    // It breaks off with the request, which is noticed elsewhere.
    stream.on("error", () => {});
    // No file was chosen.
    if (name === undefined || name === "") return void stream.resume();
    if (!isOwn(this.form)) {
      this.isForeign = true;
      return this.#stop.abort();
    }
    stream.once("limit", () => {
      this.isTooLarge = true;
      this.#stop.abort();
    });
    this.file = { name: safeName(name), type: safeType(type) };
    const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
    this.#closed = new Promise((resolve) => {
      let failure: unknown;
      file.once("error", (error) => {
        if ("syscall" in error) failure = error;
        this.#stop.abort();
      });
      file.once("close", () => resolve(failure));
    });
    stream.once("close", () => {
      if (!stream.readableEnded) file.destroy();
    });
    stream.pipe(file);
  }

  /** Waits until the file is closed, whole or given up. Throws where the disk has failed. */
  async close(isWhole: boolean): Promise<void> {
    if (!isWhole) this.#stream?.destroy();
    const failure = await this.#closed;
    if (failure instanceof Error) throw failure;
  }
}
