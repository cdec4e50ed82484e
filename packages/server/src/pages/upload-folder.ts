/**
 * The files that users upload, in a temporary folder until they are removed.
 *
 *   1. The folder has the mode 0700 and a random name. It exists while there is a file in it.
 *   2. The server listens on the Unix socket `lock` in it, which the kernel closes when the process ends, also by SIGKILL: a socket that
 *      refuses connections belongs to a process that has ended. Unlike a process id, this works across containers, and is not reused.
 *   3. `removeStaleUploads` removes the folders of such processes, if this user owns them: only files that `UploadFolder` has created,
 *      and without following links, which any user can create in the temporary folder.
 *   4. A folder without a `lock` is never stale: its server is starting, or cannot listen there (Windows, some file systems).
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { lstat, mkdtemp, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const LOCK = "lock";
const FILE_NAME = /^[0-9a-f]{32}$/;
/** The longest path of a Unix socket on macOS, in bytes; on Linux it is 107. Node 20 truncates a longer one without an error. */
const MAX_SOCKET_PATH = 103;

export class UploadFolder {
  #folder: string | undefined;
  #lock: Server | undefined;
  readonly #files = new Set<string>();
  /** The last operation. They run one after another: a folder must not be removed while a file is added to it. */
  #last: Promise<unknown> = Promise.resolve();

  /** Returns the path for a new file. */
  add(): Promise<string> {
    return this.#inOrder(async () => {
      const folder = this.#folder ?? (await this.#createFolder());
      const path = join(folder, randomBytes(16).toString("hex"));
      this.#files.add(path);
      return path;
    });
  }

  remove(path: string): Promise<void> {
    return this.#inOrder(async () => {
      if (!this.#files.delete(path)) return;
      await rm(path, { force: true });
      if (this.#files.size === 0) await this.#removeFolder();
    });
  }

  /** Removes all files. */
  close(): Promise<void> {
    return this.#inOrder(() => {
      this.#files.clear();
      return this.#removeFolder();
    });
  }

  #inOrder<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(operation);
    this.#last = result.catch(() => {});
    return result;
  }

  async #createFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), folderPrefix()));
    this.#folder = folder;
    process.on("exit", this.#onExit);
    this.#lock = await listenIn(folder);
    return folder;
  }

  async #removeFolder(): Promise<void> {
    if (this.#folder === undefined) return;
    await removeFilesIn(this.#folder);
    await rm(this.#folder, { recursive: true, force: true });
    this.#lock?.close();
    process.off("exit", this.#onExit);
    this.#folder = undefined;
  }

  /** For a process that ends without closing its servers: promises are not resolved any more. */
  readonly #onExit = (): void => {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  };
}

/** Removes the folders of processes that have ended. Reports the errors. */
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

/** Listens on the socket `lock`; `undefined` if that is not possible. */
async function listenIn(folder: string): Promise<Server | undefined> {
  const starting = join(folder, "starting");
  if (Buffer.byteLength(starting) > MAX_SOCKET_PATH) return undefined;
  const server = createServer((socket) => socket.destroy());
  // Only clients keep a process alive.
  server.unref();
  try {
    // A worker of a cluster listens by itself: the primary process would still listen after the worker has ended.
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

/** Removes the files, and leaves the lock: if the process is killed meanwhile, the next server removes the rest. */
async function removeFilesIn(folder: string): Promise<void> {
  // A folder that does not exist has no files.
  for (const name of await readdir(folder).catch(() => []))
    if (FILE_NAME.test(name)) await rm(join(folder, name), { force: true });
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
