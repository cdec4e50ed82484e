/**
 * Replays the journal of a run, entry by entry, while the body runs again; then appends to it.
 *
 *   1. Entries are read once, in order: replaying n of them costs O(n).
 *   2. What the body does must be what the journal says; otherwise `ReplayDiverged` names both.
 *   3. After the last entry the run is live.
 *   4. A journal that fails to append detaches the run: it continues later, from what the journal holds.
 */
import { RunStopped } from "./cancellation.ts";
import { ReplayDiverged } from "../errors.ts";
import type {
  Journal,
  JournalEntry,
  ReplyEntry,
  RoundEntry,
  SecretEntry,
  StepBegunEntry,
  StepEntry,
} from "./journal.ts";
import type { QuestionRound } from "./question-round.ts";
import type { RunEnvironment } from "./environment.ts";

export const NONE: ReadonlySet<string> = new Set();

export class RunJournal {
  /** Keys of the open round's secrets that were answered before, and whose values are lost. */
  lostSecrets: ReadonlySet<string> = NONE;
  readonly #journal: Journal;
  readonly #environment: RunEnvironment;
  /** How many entries are replayed. A journal in memory grows meanwhile by those that are appended. */
  readonly #length: number;
  /** How many emits were shown before the run was interrupted. */
  readonly #shownEmits: number;
  #emits = 0;
  #next = 0;

  constructor(journal: Journal, environment: RunEnvironment) {
    const { entries } = journal;
    this.#journal = journal;
    this.#environment = environment;
    this.#length = entries.length;
    this.#shownEmits = entries.reduce(
      (most, entry) => ("emits" in entry ? Math.max(most, entry.emits) : most),
      0,
    );
    const [first] = entries;
    if (first !== undefined && "start" in first) this.#next = 1;
  }

  /** Whether every entry has been replayed. */
  get isLive(): boolean {
    return this.#next >= this.#length;
  }

  /** How many emits the run has shown. */
  get emits(): number {
    return this.#emits;
  }

  /** Counts an emit. Returns whether it is to be shown: it was not shown before the replay. */
  countEmit(): boolean {
    this.#emits += 1;
    return this.#emits > this.#shownEmits;
  }

  /** Appends the first entry, if the journal is empty. */
  start(): Promise<void> | undefined {
    const { started } = this.#environment;
    return started !== undefined && this.#length === 0 ? this.append(started) : undefined;
  }

  /** Appends an entry. Also waits if the run is closed or detached meanwhile: a received reply is not lost. */
  append(entry: JournalEntry): Promise<void> | undefined {
    const writing = detachOnError(() => this.#journal.append(entry));
    return writing && this.#environment.cancellation.raceForced(writing);
  }

  /** Appends the start of a step, if the journal outlives the process. */
  appendStepBegun(key: string): Promise<void> | undefined {
    return detachOnError(() => this.#journal.begin?.({ step: key, begun: true }));
  }

  /** Appends the outcome of a step. Also waits beyond the grace period: the side effect has happened. */
  appendStep(key: string, outcome: Pick<StepEntry, "value" | "error">): Promise<void> | undefined {
    return detachOnError(() => this.#journal.append({ step: key, ...outcome, emits: this.#emits }));
  }

  /** The recorded round, which must be the one that the body asks; undefined if the run is live. */
  nextRound(round: QuestionRound): RoundEntry | undefined {
    const entry = this.#peek();
    if (entry === undefined) return undefined;
    const { recordedQuestions } = round;
    if (!("asked" in entry) || !isSameRound(entry.asked, recordedQuestions))
      return this.#diverged(describeRound(recordedQuestions), entry);
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

  /** The last entry of a step, which must be the one that the body runs; undefined if the run is live. */
  nextStep(key: string): StepEntry | StepBegunEntry | undefined {
    const first = this.#peek();
    if (first === undefined) return undefined;
    if (!("step" in first) || first.step !== key)
      return this.#diverged(`does the step ${JSON.stringify(key)}`, first);
    // A step has one entry for each process that began it, and one for its outcome.
    let last: StepEntry | StepBegunEntry = first;
    for (let entry = this.#peek(); entry !== undefined; entry = this.#peek()) {
      if (!("step" in entry) || entry.step !== key) break;
      last = entry;
      this.#next++;
      if (!("begun" in entry)) break;
    }
    return last;
  }

  /** Throws if the body has returned before the journal ends. */
  assertComplete(): void {
    const entry = this.#peek();
    if (entry !== undefined) this.#diverged("has ended", entry);
  }

  #peek(): JournalEntry | undefined {
    return this.isLive ? undefined : this.#journal.entries[this.#next];
  }

  #diverged(now: string, entry: JournalEntry): never {
    throw new RunStopped(
      new ReplayDiverged(
        `The tool ${now}, but its journal ${describeEntry(entry)}.${this.#environment.explainDivergence()}`,
      ),
    );
  }
}

function detachOnError(write: () => void | Promise<void>): Promise<void> | undefined {
  const detach = (error: unknown): never => {
    throw new RunStopped(error, true);
  };
  try {
    const writing = write();
    // `append` may return any value, such as the number of `push`.
    return writing === undefined ? undefined : Promise.resolve(writing).catch(detach);
  } catch (error) {
    return detach(error);
  }
}

function isSameRound(recorded: RoundEntry["asked"], now: RoundEntry["asked"]): boolean {
  const keys = Object.keys(now);
  return (
    keys.length === Object.keys(recorded).length &&
    keys.every((key) => recorded[key]?.[0] === now[key]?.[0] && recorded[key]?.[1] === now[key]?.[1])
  );
}

function describeRound(questions: RoundEntry["asked"]): string {
  const descriptions = Object.entries(questions).map(
    ([key, [kind, answers]]) => `${JSON.stringify(key)} (${kind}, answers ${answers})`,
  );
  return `asks ${descriptions.join(", ")}`;
}

function describeEntry(entry: JournalEntry): string {
  if ("asked" in entry) return describeRound(entry.asked);
  if ("step" in entry) return `does the step ${JSON.stringify(entry.step)}`;
  return "key" in entry ? `has an answer to ${JSON.stringify(entry.key)}` : "begins here";
}
