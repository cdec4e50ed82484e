/**
 * Timers only for what needs them: most of what begins with a request is over in the turn that it began in.
 */
export interface Lasting {
  readonly isOver: boolean;
  /** It was not over after the turn in which it began. */
  lasts(): void;
}

let begun: Lasting[] = [];

/** Has something told when it lasts longer than this turn: one runDeferred at all of them, when the turn is over. */
export function ifItLasts(one: Lasting): void {
  if (begun.push(one) === 1) setImmediate(runDeferred);
}

function runDeferred(): void {
  const all = begun;
  begun = [];
  for (const one of all) if (!one.isOver) one.lasts();
}
