/**
 * Runs checks of values within a time limit.
 *
 * A regular expression, or a schema that refers to itself, can take years on a value that a client has chosen.
 *
 *   1. A check that takes longer than SLOW_MS is stopped. Only Node can stop one.
 *   2. A check first gets QUICK_MS, synchronously. Checks share QUICK_MS_PER_TURN in each turn of the event loop; the others wait.
 *   3. A check that needs longer starts again in a second queue, of which one runs per turn, while no quick ones wait. So the
 *      event loop is blocked by one slow check at most, however many messages or members of a batch need one.
 *   4. In both queues the schemas take turns: slow calls of one tool do not delay calls of another.
 */
import { afterIo, nodeBuiltin } from "../util/platform.ts";

const QUICK_MS = 2;
const QUICK_MS_PER_TURN = 25;
const SLOW_MS = 100;

/** What a check returned; undefined if it was stopped. */
type CheckOutcome<Found> = { readonly found: Found } | undefined;

/** Waiting checks, by schema. The first schema has the next turn. */
class CheckQueue {
  readonly #bySchema = new Map<object, (() => void)[]>();

  get isEmpty(): boolean {
    return this.#bySchema.size === 0;
  }

  /** Resolves when the check has had its turn. */
  add<Found>(schema: object, run: () => CheckOutcome<Found>): Promise<CheckOutcome<Found>> {
    scheduleQueues();
    return new Promise((resolve) => {
      // The inner promise rejects if the check throws.
      const check = (): void =>
        resolve(
          new Promise((settle) => {
            settle(run());
          }),
        );
      const others = this.#bySchema.get(schema);
      if (others === undefined) this.#bySchema.set(schema, [check]);
      else others.push(check);
    });
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

const quick = new CheckQueue();
const slow = new CheckQueue();
/** `spent`: CPU time of quick checks in this turn of the event loop, in milliseconds. */
const turn = { spent: 0, isScheduled: false };
let runWithTimeout: RunWithTimeout | undefined;

/** Runs a pure check: it may be stopped halfway, and run again. */
export function runWithTimeLimit<Found>(
  schema: object,
  check: () => Found,
): CheckOutcome<Found> | Promise<CheckOutcome<Found>> {
  const run = (runWithTimeout ??= createRunWithTimeout());
  if (run === undefined) return { found: check() };
  const runQuickly = (): CheckOutcome<Found> => {
    const began = cpuTime();
    try {
      return run(check, QUICK_MS);
    } finally {
      turn.spent += cpuTime() - began;
      scheduleQueues();
    }
  };
  const runSlowly = (): Promise<CheckOutcome<Found>> => slow.add(schema, () => run(check, SLOW_MS));
  if (turn.spent < QUICK_MS_PER_TURN && quick.isEmpty) return runQuickly() ?? runSlowly();
  return quick.add(schema, runQuickly).then((outcome) => outcome ?? runSlowly());
}

function scheduleQueues(): void {
  if (turn.isScheduled) return;
  turn.isScheduled = true;
  afterIo(runQueues);
}

function runQueues(): void {
  turn.isScheduled = false;
  turn.spent = 0;
  while (!quick.isEmpty && turn.spent < QUICK_MS_PER_TURN) quick.runNext();
  if (quick.isEmpty) slow.runNext();
  if (!quick.isEmpty || !slow.isEmpty) scheduleQueues();
}

interface NodeVm {
  createContext(object: object): object;
  Script: new (code: string) => { runInContext(context: object, options: { timeout: number }): unknown };
}

/** The share of CPU time that a check must have had before it counts as slow: otherwise other programs were running. */
const MIN_CPU_SHARE = 0.75;
/** How many times longer a check may take on a machine that is busy with other programs. */
const MAX_STRETCH = 16;

/**
 * Runs a function for at most so many milliseconds of CPU time. If it was stopped because other programs kept the CPU busy, it
 * is run again, for longer.
 */
type RunWithTimeout = <Found>(run: () => Found, milliseconds: number) => CheckOutcome<Found>;

const TIMED_OUT = "ERR_SCRIPT_EXECUTION_TIMEOUT";

/** Uses `node:vm`, which can stop even a regular expression; undefined on other platforms. */
function createRunWithTimeout(): RunWithTimeout | undefined {
  const vm = nodeBuiltin("node:vm") as NodeVm | undefined;
  if (vm === undefined) return undefined;
  const sandbox: { run?: () => unknown } = {};
  const context = vm.createContext(sandbox);
  const script = new vm.Script("run()");

  function runOnce<Found>(run: () => Found, timeout: number): CheckOutcome<Found> {
    sandbox.run = run;
    try {
      // The script returns what `run` returns.
      return { found: script.runInContext(context, { timeout }) as Found };
    } catch (error) {
      // Code inside cannot catch the timeout. Its error is one of another realm: not an instance of this `Error`.
      if ((error as { readonly code?: unknown } | null)?.code === TIMED_OUT) return undefined;
      throw error;
    } finally {
      delete sandbox.run;
    }
  }

  return (run, milliseconds) => {
    const began = cpuTime();
    const outcome = runOnce(run, milliseconds);
    const spent = cpuTime() - began;
    if (outcome !== undefined || spent > MIN_CPU_SHARE * milliseconds) return outcome;
    return runOnce(run, Math.ceil(milliseconds * Math.min(MAX_STRETCH, milliseconds / spent)));
  };
}

/** CPU time of this process, in milliseconds. */
function cpuTime(): number {
  const { process } = globalThis as {
    readonly process?: { cpuUsage(): { readonly user: number; readonly system: number } };
  };
  const { user = 0, system = 0 } = process?.cpuUsage() ?? {};
  return (user + system) / 1000;
}
