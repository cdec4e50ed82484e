/**
 * The journal of a run: JSON entries from which the run can be replayed.
 *
 *   1. A body that is replayed gets the recorded answers and results of steps. No side effect is repeated.
 *   2. A secret is recorded as `{ key, secret: true }`, without its value.
 *   3. Questions and steps have the same keys in each replay.
 */
import type { Client } from "../client.ts";
import type { Json } from "../util/json.ts";
import type { Question } from "../effects.ts";

/** How the run began. */
export interface StartEntry {
  readonly start: {
    readonly can: Client["can"];
    readonly version?: string;
    /** A digest of the tool's source, to explain a divergence. */
    readonly source?: string;
  };
}

/** A round of questions was opened. */
export interface RoundEntry {
  /** By key: the kind of the question, and a digest of the schema of its answers. */
  readonly asked: { readonly [key: string]: readonly [kind: string, answers: string] };
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** How many emits were shown by then. A replay does not show them again. */
  readonly emits: number;
}

/** A reply to a question of the last round. */
export interface ReplyEntry {
  readonly key: string;
  readonly reply: Json;
  /** When, in milliseconds since 1970, if other questions may still be open: their time starts anew. */
  readonly at?: number;
}

/** A secret was answered. Its value is not in the journal. */
export interface SecretEntry {
  readonly key: string;
  readonly secret: true;
}

/** The error of a step. */
export interface StepFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** The kind of Photon's own errors. */
  readonly kind?: "not-json" | "secret" | "unknown";
  /** For "not-json": what the step returned. */
  readonly found?: string;
}

/** A step was done, or failed. */
export interface StepEntry {
  readonly step: string;
  readonly value?: Json;
  readonly error?: StepFailure;
  readonly emits: number;
}

/** A step began. Only journals that outlive the process have these. */
export interface StepBegunEntry {
  readonly step: string;
  readonly begun: true;
}

/** An entry of a journal. */
export type JournalEntry = StartEntry | RoundEntry | ReplyEntry | SecretEntry | StepEntry | StepBegunEntry;

/** Stores entries. The run uses what an entry says only after the entry was appended. */
export interface Journal {
  /** The entries with which the run was started. */
  readonly entries: readonly JournalEntry[];
  append(entry: JournalEntry): void | Promise<void>;
  /** Appends the start of a step. With it, a step runs at most once, and a crash during the step is detected. */
  begin?(entry: StepBegunEntry): void | Promise<void>;
}

/** A journal in memory; `entries` grows with the run. */
export function memoryJournal(entries: readonly JournalEntry[] = []): Journal {
  const all = [...entries];
  return { entries: all, append: (entry) => void all.push(entry) };
}

/**
 * The keys of questions and steps. A question without an id is `ask-N`, `sample-N` or `roots-N`, where N counts those of its kind in the
 * run, with and without ids. An id or a step's name that was used before gets `#2`, `#3`, ….
 */
export class KeyAllocator {
  /** Created with the first key: most runs ask nothing. */
  #counts: Map<string, number> | undefined;

  questionKey(question: Question, id: string | undefined = question.id): string {
    // Ids do not contain "#".
    const ordinal = this.#count(`#${question.emit}`);
    return this.#unique(id ?? `${question.emit}-${ordinal}`, "");
  }

  stepKey(name: string): string {
    return this.#unique(name, "step ");
  }

  #unique(name: string, namespace: string): string {
    const count = this.#count(namespace + name);
    return count === 1 ? name : `${name}#${count}`;
  }

  #count(name: string): number {
    this.#counts ??= new Map();
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}
