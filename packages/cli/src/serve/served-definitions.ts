/**
 * The definitions that a server serves: those in files, and built-in tools. With `watch`, reloads files that change.
 *
 * A version that cannot be loaded, or that the server refuses, is logged, and the version before it stays. Calls in
 * progress finish on the old code; a durable run that is replayed gets the new code, or `ToolVersionChanged`.
 */
import type { Tool } from "@photon/core";
import { elicitPack, type PhotonServer } from "@photon/server";
import { findToolFiles, NoToolFiles } from "../load/find-files.ts";
import { loadDefinitions, type Loaded } from "../load/load.ts";
import { emptySnapshot } from "../sources/snapshot.ts";
import { errorEntry, type Log } from "./log.ts";
import { summaryOf } from "./startup-message.ts";

export type PackName = "elicit";

const packs: Readonly<Record<PackName, () => readonly Tool<never>[]>> = { elicit: elicitPack };

interface LoadOptions {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly watch: boolean;
  /** Built-in tools that are served too. */
  readonly packs: readonly PackName[];
}

const NOTHING: Loaded = { tools: [], prompts: [], resources: [], files: [], notes: [] };

export class ServedDefinitions {
  readonly #log: Log;
  #loaded = NOTHING;
  #packTools: readonly Tool<never>[] = [];
  #hasLoaded = false;
  #isClosed = false;
  #close = async (): Promise<void> => {};

  constructor(log: Log) {
    this.#log = log;
  }

  /** The definitions that are served now. */
  get loaded(): Loaded {
    return this.#loaded;
  }

  /** Throws if the first version cannot be loaded. With `watch`, that is logged, and the next version is tried. */
  async load(server: PhotonServer, { paths, cwd, watch, packs: names }: LoadOptions): Promise<void> {
    this.#packTools = [...new Set(names)].flatMap((name) => packs[name]());
    if (names.length > 0 && !hasToolFiles(paths, cwd)) {
      this.#replace(server, NOTHING);
      return;
    }
    if (!watch) {
      this.#replace(server, await loadDefinitions(paths, { cwd }));
      return;
    }
    const { watchDefinitions } = await import("../load/watch.ts");
    const watching = await watchDefinitions(paths, {
      cwd,
      onLoaded: (loaded, milliseconds) => this.#reload(server, loaded, milliseconds),
      onFailed: (error) => this.#logFailure(error),
    });
    this.#close = () => watching.close();
    // `close()` does not wait for a load.
    if (this.#isClosed) await watching.close();
    this.#replace(server, watching.first ?? NOTHING);
    this.#hasLoaded ||= watching.first !== undefined;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#close();
  }

  #replace(server: PhotonServer, loaded: Loaded): void {
    const served = { ...loaded, tools: [...loaded.tools, ...this.#packTools] };
    server.replace(served);
    // Each note is logged once, and not with every reload.
    for (const message of loaded.notes)
      if (!this.#loaded.notes.includes(message)) this.#log({ level: "notice", message });
    this.#loaded = served;
  }

  #reload(server: PhotonServer, loaded: Loaded, milliseconds: number): void {
    try {
      this.#replace(server, loaded);
      this.#hasLoaded = true;
    } catch (error) {
      this.#logFailure(error);
      return;
    }
    const took = Math.round(milliseconds);
    this.#log({
      level: "info",
      message: `reloaded in ${took} ms: ${summaryOf(this.#loaded)}`,
      data: { took },
    });
  }

  #logFailure(error: unknown): void {
    const entry = errorEntry(error, this.#loaded.files);
    const outcome = this.#hasLoaded
      ? "not reloaded, the last good version stays"
      : "not loaded until it is fixed";
    this.#log({ ...entry, message: `${outcome}: ${entry.message}` });
  }
}

/** Whether the folders that are named, or this one, contain tools. */
function hasToolFiles(paths: readonly string[], cwd: string): boolean {
  try {
    return findToolFiles(paths, cwd, emptySnapshot()).length > 0;
  } catch (error) {
    // Loading reports any other problem with a path.
    return !(error instanceof NoToolFiles);
  }
}
