/**
 * Reads a journal, entry by entry, while the body runs again.
 *
 *   1. Entries are read once, in order: replaying n of them costs O(n).
 *   2. What the body does must be what the journal says; otherwise `ReplayDiverged` names both.
 *   3. After the last entry the run is live.
 */
import { StopSignal } from "./cancellation.ts";
import { ReplayDiverged } from "../errors.ts";
import type {
  JournalEntry,
  ReplyEntry,
  RoundEntry,
  SecretEntry,
  StepBegunEntry,
  StepEntry,
} from "./journal.ts";
import type { QuestionRound } from "./question-round.ts";
import type { RunEnvironment } from "./environment.ts";

export class Replay {
  readonly #entries: readonly JournalEntry[];
  readonly #environment: Pick<RunEnvironment, "explainDivergence">;
  readonly #length: number;
  /** How many emits were shown before the run was interrupted. */
  readonly emits: number;
  #next = 0;

  constructor(entries: readonly JournalEntry[], environment: Pick<RunEnvironment, "explainDivergence">) {
    this.#entries = entries;
    // A journal in memory grows while it is read; entries that are appended now are not replayed.
    this.#length = entries.length;
    this.#environment = environment;
    this.emits = entries.reduce((most, entry) => ("emits" in entry ? Math.max(most, entry.emits) : most), 0);
    const [first] = entries;
    if (first !== undefined && "start" in first) this.#next = 1;
  }

  /** Whether every entry has been read. */
  get isOver(): boolean {
    return this.#next >= this.#length;
  }

  /** The recorded round, which must be the one that the body asks; undefined where the run is live. */
  nextRound(round: QuestionRound): RoundEntry | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    const { asked } = round;
    if (!("asked" in entry) || !isSameRound(entry.asked, asked))
      return this.#diverged(describeRound(asked), entry);
    this.#next++;
    return entry;
  }

  /** The next recorded reply to an open question. With `hasLostSecrets`, there may be none. */
  nextReply(round: QuestionRound, hasLostSecrets: boolean): ReplyEntry | SecretEntry | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    if (!("key" in entry) || !round.isOpen(entry.key)) {
      return hasLostSecrets ? undefined : this.#diverged("still waits for an answer", entry);
    }
    this.#next++;
    return entry;
  }

  /**
   * Skips replies that a round did not need. A secret that is asked for again, because its value is lost, may need fewer
   * attempts than before; and a reply by another process may reach the journal after the round had failed.
   */
  skipUnusedReplies(round: QuestionRound): void {
    for (let entry = this.#peek(); entry !== undefined && "key" in entry; entry = this.#peek()) {
      if (!round.has(entry.key) || !("secret" in entry || round.answer !== undefined)) return;
      this.#next++;
    }
  }

  /** Throws if the body has returned before the journal ends. */
  assertComplete(): void {
    const entry = this.#peek();
    if (entry !== undefined) this.#diverged("has ended", entry);
  }

  /** The last entry of a step, which must be the one that the body runs; undefined where the run is live. */
  nextStep(key: string): StepEntry | StepBegunEntry | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    if (!("step" in entry) || entry.step !== key)
      return this.#diverged(`does the step ${JSON.stringify(key)}`, entry);
    // A step has one entry for each process that began it, and one for its outcome.
    let last: StepEntry | StepBegunEntry = entry;
    for (
      let next: JournalEntry | undefined = entry;
      next !== undefined && "step" in next && next.step === key;
      next = this.#peek()
    ) {
      last = next;
      this.#next++;
      if (!("begun" in next)) break;
    }
    return last;
  }

  #peek(): JournalEntry | undefined {
    return this.#next < this.#length ? this.#entries[this.#next] : undefined;
  }

  #diverged(now: string, entry: JournalEntry): never {
    throw new StopSignal(
      new ReplayDiverged(
        `The tool ${now}, but its journal ${describeEntry(entry)}.${this.#environment.explainDivergence()}`,
      ),
    );
  }
}

/** Shared by all runs that have no journal. */
export const emptyReplay: Replay = new Replay([], { explainDivergence: () => "" });

function isSameRound(recorded: RoundEntry["asked"], now: RoundEntry["asked"]): boolean {
  const keys = Object.keys(now);
  return (
    keys.length === Object.keys(recorded).length &&
    keys.every((key) => recorded[key]?.[0] === now[key]?.[0] && recorded[key]?.[1] === now[key]?.[1])
  );
}

function describeRound(asked: RoundEntry["asked"]): string {
  const questions = Object.entries(asked).map(
    ([key, [kind, answers]]) => `${JSON.stringify(key)} (${kind}, answers ${answers})`,
  );
  return `asks ${questions.join(", ")}`;
}

function describeEntry(entry: JournalEntry): string {
  if ("asked" in entry) return describeRound(entry.asked);
  if ("step" in entry) return `does the step ${JSON.stringify(entry.step)}`;
  return "key" in entry ? `has an answer to ${JSON.stringify(entry.key)}` : "begins here";
}
