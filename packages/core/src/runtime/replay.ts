/**
 * Reads a journal back, entry by entry, against what the body does.
 *
 *   1. Entries are read once, in order: replaying n of them costs O(n).
 *   2. What the body does must be what the journal says; else `ReplayDiverged`, naming both.
 *   3. Past the last entry the run is live.
 */
import { StopSignal } from "./cancellation.ts";
import { ReplayDiverged } from "../errors.ts";
import type { Answered, Asked, Entry, SecretGiven, StepBegun, Stepped } from "./journal.ts";
import type { RunEnvironment } from "./environment.ts";

export class Replay {
  readonly #entries: readonly Entry[];
  readonly #world: Pick<RunEnvironment, "explainDivergence">;
  readonly #length: number;
  /** How many emits went out before the run was interrupted. */
  readonly emits: number;
  #next = 0;

  constructor(entries: readonly Entry[], world: Pick<RunEnvironment, "explainDivergence">) {
    this.#entries = entries;
    // A journal in memory grows while it is read; what is appended now is not replayed.
    this.#length = entries.length;
    this.#world = world;
    this.emits = entries.reduce((most, entry) => ("emits" in entry ? Math.max(most, entry.emits) : most), 0);
    const [first] = entries;
    if (first !== undefined && "start" in first) this.#next = 1;
  }

  /** Whether every entry has been read. */
  get isOver(): boolean {
    return this.#next >= this.#length;
  }

  /** The round the journal has here, if the body's is the same; nothing where the run is live. */
  takeRound(round: { readonly asked: Asked["asked"] }): Asked | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    const { asked } = round;
    if (!("asked" in entry) || !isSameRound(entry.asked, asked))
      return this.#diverged(describeRound(asked), entry);
    this.#next++;
    return entry;
  }

  /** The next reply that was given to a question of the round. Where something is `missing`, there may be none. */
  takeAnswer(round: { isOpen(key: string): boolean }, missing: boolean): Answered | SecretGiven | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    if (!("key" in entry) || !round.isOpen(entry.key)) {
      return missing ? undefined : this.#diverged("still waits for an answer", entry);
    }
    this.#next++;
    return entry;
  }

  /**
   * Skips replies that a round did not need. A secret that is asked for again, because its value is gone, may need fewer
   * attempts than at first; and a reply by another process may reach the journal after the round had failed.
   */
  skipRest(round: { has(key: string): boolean; readonly answer: unknown }): void {
    for (let entry = this.#peek(); entry !== undefined && "key" in entry; entry = this.#peek()) {
      if (!round.has(entry.key) || !("secret" in entry || round.answer !== undefined)) return;
      this.#next++;
    }
  }

  /** Nothing may be left when the body has ended. */
  end(): void {
    const entry = this.#peek();
    if (entry !== undefined) this.#diverged("has ended", entry);
  }

  /** What came of this step; nothing where the run is live. */
  takeStep(key: string): Stepped | StepBegun | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    if (!("step" in entry) || entry.step !== key)
      return this.#diverged(`does the step ${JSON.stringify(key)}`, entry);
    // A step has one entry for each time that a process began it, and one for its outcome. The last one counts.
    let last: Stepped | StepBegun = entry;
    for (
      let next: Entry | undefined = entry;
      next !== undefined && "step" in next && next.step === key;
      next = this.#peek()
    ) {
      last = next;
      this.#next++;
      if (!("begun" in next)) break;
    }
    return last;
  }

  #peek(): Entry | undefined {
    return this.#next < this.#length ? this.#entries[this.#next] : undefined;
  }

  #diverged(now: string, entry: Entry): never {
    throw new StopSignal(
      new ReplayDiverged(
        `The tool ${now}, but its journal ${describeEntry(entry)}.${this.#world.explainDivergence()}`,
      ),
    );
  }
}

/** For every run that has no journal: there is nothing to be read, and nothing that changes. */
export const emptyReplay: Replay = new Replay([], { explainDivergence: () => "" });

function isSameRound(recorded: Asked["asked"], now: Asked["asked"]): boolean {
  const keys = Object.keys(now);
  return (
    keys.length === Object.keys(recorded).length &&
    keys.every((key) => recorded[key]?.[0] === now[key]?.[0] && recorded[key]?.[1] === now[key]?.[1])
  );
}

function describeRound(asked: Asked["asked"]): string {
  return `asks ${Object.entries(asked).map(describeQuestion).join(", ")}`;
}

function describeQuestion([key, [kind, answers]]: [string, readonly [string, string]]): string {
  return `${JSON.stringify(key)} (${kind}, answers ${answers})`;
}

function describeEntry(entry: Entry): string {
  if ("asked" in entry) return describeRound(entry.asked);
  if ("step" in entry) return `does the step ${JSON.stringify(entry.step)}`;
  return "key" in entry ? `has an answer to ${JSON.stringify(entry.key)}` : "begins here";
}
