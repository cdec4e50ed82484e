/**
 * Keeps what a page needs to go on after a reload, in the storage of its tab.
 *
 * Of the tab and not of the browser: two tabs with the same question would answer it twice, and what people have typed
 * should go when the tab does. What was not sent yet is not kept at all.
 */
import { isRecord } from "../is-record.ts";
import type { TabStorage } from "../wire/surroundings.ts";
import type { Continuation } from "../client/client.ts";
import type { Settings } from "./connection.ts";
import type { Question } from "./question.ts";
import type { Entry, Run } from "./run.ts";

/** A run as it is kept while it goes on. */
export interface KeptRun extends Pick<Run, "id" | "offer" | "given" | "revision" | "began"> {
  readonly entries: readonly Entry[];
  /** What is open. */
  readonly questions: readonly Question[];
  /** What the inbox of the server calls it. */
  readonly storedAs?: string;
  /** What the answers go back with. */
  readonly requestState?: string;
  /** Answers that were sent, while it is not known what came of them. */
  readonly sent?: Continuation;
}

const RUN = "photon/run/";
const SETTINGS = "photon/settings";
/** How much of a timeline is kept, in entries and in characters. */
const MOST_ENTRIES = 200;
const MOST_CHARACTERS = 100_000;

export class Keeper {
  readonly #storage: TabStorage;

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  keep(run: KeptRun): void {
    const isKept = this.#write(RUN + run.id, { ...run, entries: endOf(run.entries) });
    // What it has told can be done without; its questions cannot.
    if (!isKept) this.#write(RUN + run.id, { ...run, entries: [] });
  }

  forget(runId: string): void {
    this.#storage.removeItem(RUN + runId);
  }

  /** The runs that were going on, the oldest first. */
  get runs(): readonly KeptRun[] {
    const names = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index) ?? "");
    const runs = names.filter((name) => name.startsWith(RUN)).map((name) => this.#read(name));
    return runs.filter(isKeptRun).toSorted((a, b) => a.began - b.began);
  }

  keepSettings(settings: Settings): void {
    this.#write(SETTINGS, settings);
  }

  get settings(): Partial<Settings> {
    const kept = this.#read(SETTINGS);
    if (!isRecord(kept)) return {};
    const { revision, way, token } = kept;
    return {
      ...(revision === "2026-07-28" || revision === "2025-11-25" ? { revision } : {}),
      ...(way === "websocket" || way === "http" ? { way } : {}),
      ...(typeof token === "string" ? { token } : {}),
    };
  }

  /** Whether there was room for it. */
  #write(name: string, value: unknown): boolean {
    try {
      this.#storage.setItem(name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }

  #read(name: string): unknown {
    try {
      return JSON.parse(this.#storage.getItem(name) ?? "null");
    } catch {
      return undefined;
    }
  }
}

/** The last entries, as many as fit. */
function endOf(entries: readonly Entry[]): readonly Entry[] {
  const kept: Entry[] = [];
  let characters = 0;
  for (const entry of entries.slice(-MOST_ENTRIES).toReversed()) {
    characters += JSON.stringify(entry).length;
    if (characters > MOST_CHARACTERS) break;
    kept.push(entry);
  }
  return kept.toReversed();
}

/** This page wrote it; but another version of it may have. */
function isKeptRun(value: unknown): value is KeptRun {
  return (
    isRecord(value) &&
    typeof value["id"] === "string" &&
    typeof value["began"] === "number" &&
    isRecord(value["offer"]) &&
    isRecord(value["given"]) &&
    Array.isArray(value["entries"]) &&
    Array.isArray(value["questions"])
  );
}
