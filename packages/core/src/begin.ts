import type { Client } from "./client.ts";
import { defined, digest } from "./util/json.ts";
import { NeedsUnmet, ToolChanged } from "./errors.ts";
import type { Journal, Started } from "./journal.ts";
import { nameOf, type Runnable, subjectOf } from "./definitions/definition.ts";

type Definition = Runnable<never, unknown>;

/**
 * How a run begins, or began: what its journal says first, where it has one.
 *
 * A changed version is noticed here, before anything runs; so is a client that
 * cannot do what the tool needs. What the client can do is what it could at first.
 */
export function begin(
  definition: Definition,
  client: Client,
  journal: Journal | undefined,
): Started | undefined {
  const began = beganAs(journal);
  if (began !== undefined) {
    const { version } = began.start;
    if (version !== definition.version)
      throw new ToolChanged(nameOf(definition), version, definition.version);
    return began;
  }
  const missing = definition.needs?.filter((need) => !client.can[need]) ?? [];
  if (missing.length > 0) throw new NeedsUnmet(subjectOf(definition), missing);
  const { version } = definition;
  if (journal === undefined) return undefined;
  return { start: { can: { ...client.can }, ...defined({ version, source: sourceOf(definition) }) } };
}

/** What may have led to a divergence, where the source shows it. */
export function explainDivergence(definition: Definition, journal: Journal | undefined): string {
  const source = beganAs(journal)?.start.source;
  if (source === undefined) return "";
  return source === sourceOf(definition)
    ? " Its source is the same as when the run began: what it asks must depend on its input, its answers and its steps only."
    : " Its source has changed since the run began; give the tool a version to have that noticed at once.";
}

function beganAs(journal: Journal | undefined): Started | undefined {
  const first = journal?.entries[0];
  return first !== undefined && "start" in first ? first : undefined;
}

const sources = new WeakMap<Definition["run"], string>();

/** A digest of a body's source, made once. */
function sourceOf({ run }: Definition): string {
  const source = sources.get(run) ?? digest(String(run));
  sources.set(run, source);
  return source;
}
