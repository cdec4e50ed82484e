/** Receives the forms of pages, and their uploaded files. */
import type { IncomingMessage } from "node:http";
import { type Readable, Writable } from "node:stream";
import type { Clock } from "@photon/core";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { isRecord } from "../jsonrpc/messages.ts";
import {
  brokenOffPage,
  notFormPage,
  expiredFormPage,
  tooLargePage,
  tooSlowPage,
  badRequestPage,
} from "./notices.ts";
import { readInto, type ReadOutcome } from "../http/body.ts";
import type { PageResponse } from "./respond.ts";
import { createWriteStream, rmSync } from "node:fs";
import { finished } from "node:stream/promises";
import { exemptFromTimeout } from "../http/request-timeouts.ts";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { lstat, mkdtemp, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const FORM_IDLE_MS = 10_000;
const TOTAL = 60_000;

/** The page that says why a body was refused. */
const REFUSALS: Readonly<Record<Exclude<ReadOutcome, "whole">, PageResponse>> = {
  "too large": tooLargePage,
  refused: tooLargePage,
  "too slow": tooSlowPage,
  "broken off": brokenOffPage,
  unwanted: badRequestPage,
};

/** Reads a form of limited size. An app around the server may have parsed it already. */
export async function receiveForm(
  request: IncomingMessage & { readonly body?: unknown },
  clock: Clock,
  bytes: number,
  signal?: AbortSignal,
): Promise<URLSearchParams | PageResponse> {
  if (!isOfType(request, "application/x-www-form-urlencoded")) return notFormPage;
  if (isRecord(request.body)) return entriesOf(request.body);
  const received = new GrowingBuffer();
  const sink = new Writable({
    write(part: Buffer, _, done) {
      received.append(part);
      done();
    },
  });
  const poured = await readInto(request, sink, { clock, bytes, idle: FORM_IDLE_MS, total: TOTAL, signal });
  return poured === "whole" ? new URLSearchParams(received.toString()) : REFUSALS[poured];
}

/** Whether a body has a content type, and no content encoding. */
function isOfType({ headers }: IncomingMessage, type: string): boolean {
  const [given = ""] = (headers["content-type"] ?? "").split(";", 1);
  return given.trim().toLowerCase() === type && headers["content-encoding"] === undefined;
}

function entriesOf(body: { readonly [name: string]: unknown }): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(body)) {
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const value of values) if (typeof value === "string") form.append(name, value);
  }
  return form;
}

/**
 * A form with a file, which is streamed to disk.
 *
 *   1. The file is accepted only after the token of the page's own form, which is sent before it.
 *   2. It never takes more than its limit on disk.
 *   3. The browser chooses its name and type, but not its path.
 *   4. An upload may last until the deadline of the question, while bytes arrive.
 */

/** The size of the form beside the file, in bytes. */
const BESIDE = 64 * 1024;
/** The slowest upload: so many bytes in so many milliseconds, 273 in a second. */
const UPLOAD_IDLE_MS = 30_000;
const LEAST = 8 * 1024;
/** More parts than the form of a page has. */
const PARTS = 10;

interface Received {
  readonly form: URLSearchParams;
  /** The name and type of the file; `undefined` where none was chosen. */
  readonly file?: { readonly name: string; readonly type: string } | undefined;
  readonly isTooLarge: boolean;
}

interface Receiving {
  readonly clock: Clock;
  /** The path of the file. */
  readonly path: string;
  readonly maxBytes: number;
  readonly isOwn: (form: URLSearchParams) => boolean;
  readonly signal: AbortSignal;
}

export async function receiveUpload(
  request: IncomingMessage,
  receiving: Receiving,
): Promise<Received | PageResponse> {
  const { clock, maxBytes, signal } = receiving;
  const intake = new Intake(receiving);
  const parser = await parserFor(request, maxBytes, intake);
  if (parser === undefined) return notFormPage;
  const isParsed = finished(parser).then(
    () => true,
    () => false,
  );
  exemptFromTimeout(request);
  const poured = await readInto(request, parser, {
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
  if (intake.isForeign) return expiredFormPage;
  return poured === "whole" ? badRequestPage : REFUSALS[poured];
}

/** A parser of the body; `undefined` where it is no form with a file. */
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
    // The code that waits for the end of the parser gets the error.
    parser.on("error", () => {});
    parser.on("field", (name, value) => intake.form.append(name, value));
    parser.on("file", (_, stream, name, __, kind) => intake.take(stream, name, kind));
    return parser;
  } catch {
    // There is no boundary.
    return undefined;
  }
}

/** The state of an upload. */
class Intake {
  readonly form = new URLSearchParams();
  file: Received["file"];
  isTooLarge = false;
  isForeign = false;
  readonly #receiving: Receiving;
  readonly #stop = new AbortController();
  #stream: Readable | undefined;
  /** Resolves when the file is closed, with the error of the disk, if there was one. */
  #closed: Promise<unknown> = Promise.resolve();

  constructor(receiving: Receiving) {
    this.#receiving = receiving;
  }

  /** Aborted when the upload is refused. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  take(stream: Readable, name: string | undefined, type: string | undefined): void {
    const { path, isOwn } = this.#receiving;
    this.#stream = stream;
    // It fails together with the request, which is handled elsewhere.
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

  /** Waits until the file is closed. Throws where the disk has failed. */
  async close(isWhole: boolean): Promise<void> {
    if (!isWhole) this.#stream?.destroy();
    const failure = await this.#closed;
    if (failure instanceof Error) throw failure;
  }
}

/**
 * Uploaded files, in a temporary folder of their server until they are removed.
 *
 *   1. The folder has the mode 0700 and a random name. It exists while there is a file in it.
 *   2. The server listens on the Unix socket `lock` in its folder. When the process ends, also by SIGKILL, the kernel closes the
 *      socket: a folder whose socket refuses connections belongs to a process that is gone. Unlike a process id this works
 *      across containers that share the temporary folder, and is not reused.
 *   3. `removeStaleUploads` removes such folders, if this user owns them. It follows no links, since any user can create one
 *      in the temporary folder, and removes only files that `Uploads` has created.
 *   4. A folder without a `lock` is never stale: its server is starting, or cannot listen there (Windows, a file system without
 *      sockets).
 */

const LOCK = "lock";
const FILE_NAME = /^[0-9a-f]{32}$/;
/** The longest path of a Unix socket on macOS, in bytes; on Linux it is 107. Node 20 truncates a longer one without an error. */
const MAX_SOCKET_PATH = 103;

export class Uploads {
  /** Where new files go. */
  #current: UploadFolder | undefined;
  /** Every folder that is not removed yet. */
  readonly #folders = new Set<UploadFolder>();
  readonly #folderOf = new Map<string, UploadFolder>();

  /** Gives a path for a new file. */
  async place(): Promise<string> {
    const folder = (this.#current ??= this.#createFolder());
    folder.files += 1;
    try {
      const path = join(await folder.path, randomBytes(16).toString("hex"));
      this.#folderOf.set(path, folder);
      return path;
    } catch (error) {
      await this.#release(folder);
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    const folder = this.#folderOf.get(path);
    // Removed before the first await: a second call for the same path must not count it again.
    if (folder === undefined || !this.#folderOf.delete(path)) return;
    try {
      await rm(path, { force: true });
    } finally {
      await this.#release(folder);
    }
  }

  async close(): Promise<void> {
    this.#folderOf.clear();
    await Promise.all([...this.#folders].map((folder) => this.#removeFolder(folder)));
  }

  #createFolder(): UploadFolder {
    if (this.#folders.size === 0) process.on("exit", this.#removeAllNow);
    const folder = new UploadFolder();
    this.#folders.add(folder);
    return folder;
  }

  async #release(folder: UploadFolder): Promise<void> {
    folder.files -= 1;
    if (folder.files === 0) await this.#removeFolder(folder);
  }

  async #removeFolder(folder: UploadFolder): Promise<void> {
    if (this.#current === folder) this.#current = undefined;
    await folder.remove();
    this.#folders.delete(folder);
    if (this.#folders.size === 0) process.off("exit", this.#removeAllNow);
  }

  /** For a process that ends without closing its servers: promises do not settle any more. */
  readonly #removeAllNow = (): void => {
    for (const folder of this.#folders) folder.removeNow();
  };
}

/** One folder, with the lock that marks it as in use. */
class UploadFolder {
  readonly path: Promise<string>;
  /** How many files use it. */
  files = 0;
  #created: string | undefined;
  #lock: Server | undefined;

  constructor() {
    this.path = this.#create();
  }

  async remove(): Promise<void> {
    // There is nothing to remove where it could not be created.
    const path = await this.path.catch(() => undefined);
    if (path === undefined) return;
    await removeFilesIn(path);
    await rm(path, { recursive: true, force: true });
    this.#lock?.close();
  }

  removeNow(): void {
    if (this.#created !== undefined) rmSync(this.#created, { recursive: true, force: true });
  }

  async #create(): Promise<string> {
    this.#created = await mkdtemp(join(tmpdir(), folderPrefix()));
    this.#lock = await listenIn(this.#created);
    return this.#created;
  }
}

/** Removes the folders of processes that are gone. Reports what it cannot remove. */
export async function removeStaleUploads(report: (error: unknown) => void): Promise<void> {
  const parent = tmpdir();
  const prefix = folderPrefix();
  // Without a temporary folder there are no uploads.
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const folder = join(parent, name);
    try {
      if (!(await isStale(folder))) continue;
      await removeFilesIn(folder);
      await unlink(join(folder, LOCK));
      await rmdir(folder);
    } catch (error) {
      // Another server that has just started may have removed it already.
      if (codeOf(error) !== "ENOENT") report(error);
    }
  }
}

/**
 * How the names of folders begin on this machine. A temporary folder may be on a network drive, and sockets of other machines
 * refuse every connection. The host name is hashed because the path of a socket must be short.
 */
const folderPrefix = (): string =>
  `photon-uploads-${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}-`;

async function listenIn(folder: string): Promise<Server | undefined> {
  const starting = join(folder, "starting");
  if (Buffer.byteLength(starting) > MAX_SOCKET_PATH) return undefined;
  const server = createServer((socket) => socket.destroy());
  // Only clients keep a process alive.
  server.unref();
  try {
    // A worker of a cluster listens by itself: the primary process would go on listening after the worker is gone.
    server.listen({ path: starting, exclusive: true });
    await once(server, "listening");
    // It gets its name now: between bind() and listen() a socket refuses connections.
    await rename(starting, join(folder, LOCK));
    server.on("error", () => {});
    return server;
  } catch {
    server.close();
    return undefined;
  }
}

async function isStale(folder: string): Promise<boolean> {
  const stats = await lstat(folder);
  if (!stats.isDirectory() || stats.uid !== process.getuid?.()) return false;
  const lock = join(folder, LOCK);
  if (Buffer.byteLength(lock) > MAX_SOCKET_PATH) return false;
  const socket = connect(lock);
  try {
    await once(socket, "connect");
    return false;
  } catch (error) {
    return codeOf(error) === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

/** Removes the files, and leaves the lock: where the process is killed meanwhile, the next server removes the rest. */
async function removeFilesIn(folder: string): Promise<void> {
  // A folder that is gone has no files.
  for (const name of await readdir(folder).catch(() => []))
    if (FILE_NAME.test(name)) await rm(join(folder, name), { force: true });
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const LONGEST = 120;
const LONGEST_ENDING = 16;

// Control characters, and those that change the direction of text.
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Names of devices on Windows, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** A safe file name: no folders, no devices, no characters that a file system or shell treats specially. */
export function safeName(given: string): string {
  const [last = ""] = given.normalize("NFC").split(/[/\\]/).slice(-1);
  const clean = last
    .replaceAll(UNSEEN, "")
    .replaceAll(/[<>:"|?*]/g, "_")
    .replace(/^\s+/, "")
    .replace(/[\s.]+$/, "");
  if (clean === "") return "file";
  return shortened(DEVICES.test(clean) ? `_${clean}` : clean);
}

/** Shortens a name, and keeps its extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const dot = characters.lastIndexOf(".");
  const ending = dot > 0 && characters.length - dot <= LONGEST_ENDING ? characters.slice(dot) : [];
  return [...characters.slice(0, LONGEST - ending.length), ...ending].join("");
}

/** A media type; `application/octet-stream` where it is invalid. */
export function safeType(given: string | undefined): string {
  const [type = ""] = (given ?? "").toLowerCase().split(";", 1);
  return /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}$/.test(type.trim())
    ? type.trim()
    : "application/octet-stream";
}
