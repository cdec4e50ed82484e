/**
 * Runs checks of values that clients chose, within a limit of time.
 *
 * A regular expression, or a schema that refers to itself, can take years on a value that was made for it.
 *
 *   1. A check that takes longer than SLOW_MS is stopped, and has no outcome. Only Node can stop one.
 *   2. A check first gets QUICK_MS, at once. Checks share QUICK_MS_PER_TURN in each turn of the event loop; the others wait.
 *   3. A check that needs longer starts again in a second queue, of which one runs per turn, while no quick ones wait. So the
 *      event loop is held up by one slow check at most, however many messages or members of a batch need one.
 *   4. In both queues the schemas take turns: calls of one tool that take long do not delay calls of another.
 */
import { afterTurn, createTimeLimit, processorTime, type RunWithin } from "./time-limit.ts";

const QUICK_MS = 2;
const QUICK_MS_PER_TURN = 25;
const SLOW_MS = 100;

/** What a check found; nothing where it was stopped. */
export type Outcome<Found> = { readonly found: Found } | undefined;

let runWithin: RunWithin | undefined;
/** Time that quick checks took since the event loop last turned, in milliseconds. */
const turn = { spent: 0, isScheduled: false };

/** Checks that wait, by their schemas, of which the first is the next to have its turn. */
class Queue {
  readonly #bySchema = new Map<object, (() => void)[]>();

  get isEmpty(): boolean {
    return this.#bySchema.size === 0;
  }

  add(schema: object, check: () => void): void {
    const others = this.#bySchema.get(schema);
    if (others === undefined) this.#bySchema.set(schema, [check]);
    else others.push(check);
  }

  runNext(): void {
    for (const [schema, checks] of this.#bySchema) {
      const next = checks.shift();
      this.#bySchema.delete(schema);
      if (checks.length > 0) this.#bySchema.set(schema, checks);
      return next?.();
    }
  }
}

const quick = new Queue();
const slow = new Queue();

/** Runs a check that depends on nothing but its value: it may be stopped halfway, and run again. */
export function inTime<Found>(schema: object, check: () => Found): Outcome<Found> | Promise<Outcome<Found>> {
  const run = (runWithin ??= createTimeLimit());
  if (run === undefined) return { found: check() };
  if (turn.spent < QUICK_MS_PER_TURN && quick.isEmpty)
    return runQuick(run, check) ?? waitIn(slow, schema, () => run(check, SLOW_MS));
  return waitIn(quick, schema, () => runQuick(run, check)).then(
    (outcome) => outcome ?? waitIn(slow, schema, () => run(check, SLOW_MS)),
  );
}

function runQuick<Found>(run: RunWithin, check: () => Found): Outcome<Found> {
  const began = processorTime();
  try {
    return run(check, QUICK_MS);
  } finally {
    turn.spent += processorTime() - began;
    scheduleTurn();
  }
}

function waitIn<Found>(queue: Queue, schema: object, run: () => Outcome<Found>): Promise<Outcome<Found>> {
  scheduleTurn();
  return new Promise<() => Outcome<Found>>((resolve) => {
    queue.add(schema, () => resolve(kept(run)));
  }).then((outcome) => outcome());
}

/** Runs at once, and gives back what returns or throws the same. */
function kept<Value>(run: () => Value): () => Value {
  try {
    const value = run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function scheduleTurn(): void {
  if (turn.isScheduled) return;
  turn.isScheduled = true;
  afterTurn(takeTurn);
}

function takeTurn(): void {
  turn.isScheduled = false;
  turn.spent = 0;
  while (!quick.isEmpty && turn.spent < QUICK_MS_PER_TURN) quick.runNext();
  if (quick.isEmpty) slow.runNext();
  if (!quick.isEmpty || !slow.isEmpty) scheduleTurn();
}
