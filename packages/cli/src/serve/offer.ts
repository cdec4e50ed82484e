/**
 * What a server offers: the tools of files; with `watch`, as those change.
 *
 * What is served is the last version that could be loaded and that the server took. Calls that are under way go on
 * with the code they began with.
 */
import type { PhotonServer } from "@photon/server";
import type { Tool } from "@photon/core";
import { findToolFiles, NoToolFiles } from "../load/find-files.ts";
import { loadDefinitions, type Loaded } from "../load/load.ts";
import { emptySnapshot } from "../load/snapshot.ts";
import { summaryOf } from "./banner.ts";
import { errorEntry } from "./error-entry.ts";
import type { Log } from "./log.ts";
import { toolsOf, type PackName } from "./packs.ts";

export interface Offered {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly watch: boolean;
  /** Ready-made tools that go along. */
  readonly packs: readonly PackName[];
}

const NOTHING: Loaded = { tools: [], prompts: [], resources: [], files: [], notes: [] };

export class Offer {
  readonly #log: Log;
  #loaded = NOTHING;
  #ready: readonly Tool<never>[] = [];
  #isLoaded = false;
  #isClosed = false;
  #close = async (): Promise<void> => {};

  constructor(log: Log) {
    this.#log = log;
  }

  /** What is served now. */
  get loaded(): Loaded {
    return this.#loaded;
  }

  /** Begins. Throws what is wrong with the first version; with `watch` it is logged, and the next version is tried. */
  async put(server: PhotonServer, { paths, cwd, watch, packs }: Offered): Promise<void> {
    this.#ready = toolsOf(packs);
    if (packs.length > 0 && !hasToolFiles(paths, cwd)) {
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
      onFailed: (error) => this.#keep(error),
    });
    this.#close = () => watching.close();
    // Nobody waits for the end of a load.
    if (this.#isClosed) await watching.close();
    // Until a file is mended that could not be loaded, nothing is served.
    this.#replace(server, watching.first ?? NOTHING);
    this.#isLoaded ||= watching.first !== undefined;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#close();
  }

  #replace(server: PhotonServer, loaded: Loaded): void {
    const offered = { ...loaded, tools: [...loaded.tools, ...this.#ready] };
    server.replace(offered);
    // A note is told once, and not with every reload.
    for (const message of loaded.notes)
      if (!this.#loaded.notes.includes(message)) this.#log({ level: "notice", message });
    this.#loaded = offered;
  }

  #reload(server: PhotonServer, loaded: Loaded, milliseconds: number): void {
    try {
      this.#replace(server, loaded);
      this.#isLoaded = true;
    } catch (error) {
      this.#keep(error);
      return;
    }
    const took = Math.round(milliseconds);
    this.#log({
      level: "info",
      message: `reloaded in ${took} ms: ${summaryOf(this.#loaded)}`,
      data: { took },
    });
  }

  #keep(error: unknown): void {
    const entry = errorEntry(error, this.#loaded.files);
    const what = this.#isLoaded
      ? "not reloaded, the last good version stays"
      : "not loaded until it is mended";
    this.#log({ ...entry, message: `${what}: ${entry.message}` });
  }
}

/** Whether a folder was named, or is here, that has tools in it. */
function hasToolFiles(paths: readonly string[], cwd: string): boolean {
  try {
    return findToolFiles(paths, cwd, emptySnapshot()).length > 0;
  } catch (error) {
    // What else is wrong with a path is told when it is loaded.
    return !(error instanceof NoToolFiles);
  }
}
