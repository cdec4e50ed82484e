/**
 * Runs several processes of a model one at a time, and decides at each point where they could be interrupted which one
 * continues, and which one is killed.
 *
 * A process is an async function that waits at a gate before each access to shared state. Between two gates it runs alone, so
 * that the order of choices determines everything that happens.
 */

/** What decides: the number of a choice out of `options`. */
export type Choose = (options: number) => number;

export interface Process {
  readonly name: string;
  /** Waits until the process may continue. A process that is killed waits for ever. */
  gate(): Promise<void>;
}

interface Running {
  readonly name: string;
  /** Lets the process continue; set while it waits at a gate. */
  resume: (() => void) | undefined;
  /** Settles when the process waits at its next gate, or has ended. */
  paused: Promise<void>;
}

export interface Limits {
  /** How often another process continues although the last one could. */
  readonly preemptions: number;
  /** How many processes are killed; each is replaced by one that starts afresh. */
  readonly kills: number;
}

/** Runs processes to their ends, in the order that is chosen. */
export async function interleave(
  names: readonly string[],
  work: (process: Process) => Promise<void>,
  choose: Choose,
  limits: Limits,
): Promise<void> {
  let { preemptions, kills } = limits;
  let failure: { readonly error: unknown } | undefined;
  const waiting: Running[] = [];

  const start = (name: string): Running => {
    let pause = (): void => {};
    const nextPause = (): Promise<void> =>
      new Promise((resolve) => {
        pause = resolve;
      });
    const running: Running = { name, resume: undefined, paused: nextPause() };
    const gate = (): Promise<void> =>
      new Promise((resolve) => {
        running.resume = () => {
          running.resume = undefined;
          running.paused = nextPause();
          resolve();
        };
        pause();
      });
    work({ name, gate }).then(
      () => pause(),
      (error: unknown) => {
        failure = { error };
        pause();
      },
    );
    return running;
  };

  for (const name of names) {
    const running = start(name);
    await running.paused;
    waiting.push(running);
  }
  let last: Running | undefined;
  while (waiting.length > 0) {
    const canPreempt = last === undefined || preemptions > 0;
    const runnable = canPreempt || last === undefined ? waiting : [last];
    const killable = kills > 0 ? waiting.length : 0;
    const choice = choose(runnable.length + killable);
    const isKilled = choice >= runnable.length;
    const chosen = isKilled ? waiting[choice - runnable.length] : runnable[choice];
    if (chosen === undefined) throw new Error(`There is no choice ${choice}.`);
    if (isKilled) {
      kills -= 1;
      const replacement = start(`${chosen.name}'`);
      await replacement.paused;
      waiting.splice(waiting.indexOf(chosen), 1, replacement);
      if (last === chosen) last = undefined;
      continue;
    }
    if (last !== undefined && chosen !== last) preemptions -= 1;
    const { resume } = chosen;
    resume?.();
    await chosen.paused;
    if (failure !== undefined) throw failure.error;
    last = chosen.resume === undefined ? undefined : chosen;
    if (last === undefined) waiting.splice(waiting.indexOf(chosen), 1);
  }
}

/** Tries every sequence of choices. Gives the number of sequences. */
export async function tryAll(attempt: (choose: Choose) => Promise<void>): Promise<number> {
  let tried = 0;
  for (let choices: readonly number[] | undefined = []; choices !== undefined; tried++) {
    const made: { readonly choice: number; readonly options: number }[] = [];
    const given: readonly number[] = choices;
    await attempt((options) => {
      const choice = given[made.length] ?? 0;
      made.push({ choice, options });
      return choice;
    });
    const change = made.findLastIndex(({ choice, options }) => choice + 1 < options);
    choices =
      change < 0
        ? undefined
        : [...made.slice(0, change).map(({ choice }) => choice), (made[change]?.choice ?? 0) + 1];
  }
  return tried;
}

/** Choices from a list of numbers; the first option, once the list is used up. */
export function chooseFrom(numbers: readonly number[]): Choose {
  let next = 0;
  return (options) => (numbers[next++] ?? 0) % options;
}
