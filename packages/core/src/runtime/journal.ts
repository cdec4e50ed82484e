/**
 * What a run has been told, so that it can be told again.
 *
 * A journal is a list of JSON entries. Replaying a body against it gives the
 * same answers and the results of the same steps, and repeats no side effect.
 * A secret stands in it as `{ key, secret: true }` and nowhere else.
 */
import type { Capability } from "../client.ts";
import type { Json } from "../util/json.ts";
import type { Question } from "../effects.ts";

/** How a run began: what the client could do, and which tool it was. */
export interface Started {
  readonly start: {
    readonly can: { readonly [ability in Capability]: boolean };
    readonly version?: string;
    /** A digest of the tool's source, to explain a divergence by. */
    readonly source?: string;
  };
}

/** A round of questions was opened. */
export interface Asked {
  /** By key: the kind of question, and a digest of what a fitting answer is. */
  readonly asked: { readonly [key: string]: readonly [kind: string, answers: string] };
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** How many emits had gone out by then. They are not repeated. */
  readonly emits: number;
}

/** A reply to one of them, as it came. */
export interface Answered {
  readonly key: string;
  readonly reply: Json;
  /** When it came, where the time of what is still open may begin with it. */
  readonly at?: number;
}

/** A secret was given. Its value is elsewhere, or gone. */
export interface SecretGiven {
  readonly key: string;
  readonly secret: true;
}

/** How a step failed. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** Which of our own errors it was, if it was one. */
  readonly kind?: "not-json" | "secret" | "unknown";
  /** What was found where JSON was wanted. */
  readonly found?: string;
}

/** A step was done, or failed. */
export interface Stepped {
  readonly step: string;
  readonly value?: Json;
  readonly error?: Failure;
  readonly emits: number;
}

/** A step began. Only journals that outlive the process keep these. */
export interface StepBegun {
  readonly step: string;
  readonly begun: true;
}

export type Entry = Started | Asked | Answered | SecretGiven | Stepped | StepBegun;

/** Where a run writes what it is told. An entry is kept before what it says is used. */
export interface Journal {
  /** What was there when the run (re)started. */
  readonly entries: readonly Entry[];
  append(entry: Entry): void | Promise<void>;
  /** Notes that a step begins. With it, a step runs at most once; a crash in between is detected. */
  begin?(entry: StepBegun): void | Promise<void>;
}

/** A journal in memory; `entries` grows with the run. */
export function memoryJournal(entries: readonly Entry[] = []): Journal {
  const kept = [...entries];
  return { entries: kept, append: (entry) => void kept.push(entry) };
}

/**
 * Names the questions and steps of a run, the same way each time it is replayed.
 *
 * An unnamed ask is `ask-N`, N its ordinal among all asks of the run; a named
 * one its id. What was named before gets `#2`, `#3`, ….
 */
export class KeyAllocator {
  /** Most runs ask nothing. */
  #counts: Map<string, number> | undefined;

  ofQuestion(question: Question, id: string | undefined = question.id): string {
    // No name has a "#" in it.
    const ordinal = this.#count(`#${question.emit}`);
    return this.#next(id ?? `${question.emit}-${ordinal}`, "");
  }

  ofStep(name: string): string {
    return this.#next(name, "step ");
  }

  #next(name: string, space: string): string {
    const count = this.#count(space + name);
    return count === 1 ? name : `${name}#${count}`;
  }

  #count(name: string): number {
    this.#counts ??= new Map();
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}
