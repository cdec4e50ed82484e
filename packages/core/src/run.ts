import { checkInput } from "./definitions/definition.ts";
import { systemClock } from "./util/time.ts";
import { RunCancelled } from "./errors.ts";
import { askFirst, type AskOne } from "./in-time.ts";
import type { Signal } from "./util/platform.ts";
import { start, type RunOptions } from "./start.ts";
import type { Tool } from "./definitions/tool.ts";

/** Where a program shows what a tool emits, and who answers what it asks. */
export interface Host extends RunOptions {
  /** Puts one question to somebody. Without it, or where it gives nothing, the question is cancelled. */
  readonly ask?: AskOne;
  /** Closes the run. */
  readonly signal?: Signal;
}

/** Runs a tool to its end and gives back what it returned. Questions of one round are asked one after another. */
export async function run<Input, Result>(
  tool: Tool<Input, Result>,
  input: unknown,
  host: Host = {},
): Promise<Result> {
  const { ask = () => undefined, signal, clock = systemClock, ...options } = host;
  const running = start(tool, await checkInput(tool, input), { ...options, clock });
  const close = (): void => void running.close(signal?.reason ?? new RunCancelled());
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted === true) close();
  try {
    let turn = await running.next();
    while (!turn.done) turn = await running.next(await askFirst(turn.round, clock, ask, signal));
    return turn.value;
  } finally {
    signal?.removeEventListener("abort", close);
    await running.close();
  }
}
