/** Everything outside of the body, as the interpreter sees it. Each part has a default, so that a test names only its own. */
import { Closing } from "./closing.ts";
import type { Artifact, Emit, StepNews, Stream } from "./effects.ts";
import type { Journal, Started } from "./journal.ts";
import { newUuid } from "./util/platform.ts";
import { Vault } from "./secrets.ts";

export interface World {
  /** The run's id: part of every idempotency key. */
  readonly runId: string;
  /** Shows an emit. The next effect waits for it. */
  readonly emit: (effect: Emit) => void | Promise<void>;
  /** Hears of a step as it is done. The step waits for it. */
  readonly tellStep: (news: StepNews) => void | Promise<void>;
  /** Takes what becomes part of the result; also on replay, where nothing is shown again. */
  readonly gather: (effect: Artifact | Stream) => void;
  /** Hears of failures that are nobody's answer: a `finally` that threw, an emit that could not be shown. */
  readonly report: (error: unknown) => void;
  /** How long a question stays open that does not say; nothing: until it is answered. */
  readonly askTimeout: number | undefined;
  readonly journal: Journal | undefined;
  /** What the journal begins with. */
  readonly started: Started | undefined;
  /** Added to the message of a divergence. */
  readonly explain: () => string;
  readonly closing: Closing;
  readonly secrets: Vault;
  /** Lets everything else that waits to be done have its turn. */
  readonly breathe: () => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly uuid: () => string;
}

export const FIVE_MINUTES = 300_000;

/** A world in which nobody watches and nothing is kept. */
export function world(given: Partial<World> = {}): World {
  return {
    runId: given.runId ?? newUuid(),
    emit: () => {},
    tellStep: () => {},
    gather: () => {},
    report: () => {},
    askTimeout: FIVE_MINUTES,
    journal: undefined,
    started: undefined,
    explain: () => "",
    closing: given.closing ?? new Closing(),
    secrets: given.secrets ?? new Vault(),
    breathe: () => Promise.resolve(),
    now: () => Date.now(),
    random: () => Math.random(),
    uuid: newUuid,
    ...given,
  };
}
