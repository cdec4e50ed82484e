/**
 * Runs a step once, and records its outcome before the body sees it.
 *
 * On replay the recorded result is returned, or the recorded failure thrown. For a step that began and has no recorded
 * outcome, its author decides with `onUnknown`.
 */
import type { Step, StepContext, StepEvent } from "../effects.ts";
import { SecretInStep, StepFailed, StepNotJson, StepUnknown } from "../errors.ts";
import { copyJson, type Json, deepCopy } from "../util/json.ts";
import { stopOnFailure } from "./replies.ts";
import type { StepFailure, StepEntry } from "./journal.ts";
import type { Replay } from "./replay.ts";
import { describeValue } from "../util/describe-value.ts";
import type { RunEnvironment } from "./environment.ts";

/** `emits`: how many emits the run has shown. */
export async function runStep(
  step: Step,
  key: string,
  replay: Replay,
  environment: RunEnvironment,
  emits: number,
): Promise<unknown> {
  const { secrets, journal } = environment;
  // The name stands in the journal.
  if (secrets.contains(step.name))
    throw new SecretInStep(secrets.redactText(step.name), "has a secret in its name");
  const recorded = replay.nextStep(key);
  if (recorded === undefined || "begun" in recorded) {
    // Also where the outcome of an earlier attempt is unknown: of several processes that replay the run, one may try again.
    const writing = stopOnFailure(() => journal?.begin?.({ step: key, begun: true }));
    if (writing !== undefined) await writing;
    const execute = recorded === undefined ? executeStep : resolveUnknownStep;
    return recordOutcome(step, key, environment, emits, () => execute(step, key, environment));
  }
  const { value, error } = recorded;
  if (error !== undefined) throw toError(step, key, error, environment);
  return deepCopy(value);
}

async function executeStep(step: Step, key: string, environment: RunEnvironment): Promise<unknown> {
  switch (step.step) {
    case "call":
      return step.run(stepContext(key, environment));
    case "now":
      return environment.now();
    case "random":
      return environment.random();
    case "uuid":
      return environment.uuid();
    default:
      return step satisfies never;
  }
}

/** For a step that began in a process that crashed before the outcome was recorded. */
async function resolveUnknownStep(step: Step, key: string, environment: RunEnvironment): Promise<unknown> {
  const onUnknown = step.step === "call" ? (step.onUnknown ?? "fail") : "retry";
  if (onUnknown === "retry") return executeStep(step, key, environment);
  if (onUnknown === "fail") throw new StepUnknown(step.name, stepContext(key, environment).key);
  return onUnknown(stepContext(key, environment));
}

/** Executes a step, and appends its outcome to the journal. */
async function recordOutcome(
  step: Step,
  key: string,
  environment: RunEnvironment,
  emits: number,
  execute: () => Promise<unknown>,
): Promise<Json | undefined> {
  const { journal, secrets } = environment;
  const record = async (
    state: "done" | "failed",
    outcome: Pick<StepEntry, "value" | "error">,
  ): Promise<void> => {
    // The journal first: a slow `onStep` must not delay the record of a side effect that has happened.
    let writing: Promise<void> | undefined;
    let notifying: void | Promise<void>;
    try {
      writing = stopOnFailure(() => journal?.append({ step: key, ...outcome, emits }));
    } finally {
      notifying = notify(step, key, state, environment);
    }
    if (writing !== undefined || notifying !== undefined) await Promise.all([writing, notifying]);
  };
  const notifying = notify(step, key, "begun", environment);
  if (notifying !== undefined) await notifying;
  let value: Json | undefined;
  try {
    value = toJson(step.name, await execute(), secrets);
  } catch (error) {
    const failure = toFailure(error, secrets);
    await record("failed", { error: failure });
    throw toError(step, key, failure, environment, { cause: error });
  }
  // A copy: the body may change the value that it is given.
  await record("done", value === undefined ? {} : { value: deepCopy(value) });
  return value;
}

/** `step.now()` and the like are not reported: they are of no interest to a user. */
function notify(
  step: Step,
  key: string,
  state: StepEvent["state"],
  environment: RunEnvironment,
): void | Promise<void> {
  if (step.step === "call") return environment.onStep({ step: key, state });
}

/** A copy of a step's result as JSON. The body gets the copy too, so that a replay gives it the same. */
function toJson(name: string, returned: unknown, secrets: RunEnvironment["secrets"]): Json | undefined {
  if (returned === undefined) return undefined;
  if (secrets.contains(returned)) throw new SecretInStep(name);
  const copied = copyJson(returned);
  if ("json" in copied) return copied.json;
  const { found, at } = copied.problem;
  throw new StepNotJson(name, at === "" ? found : `${found} at ${at}`);
}

function toFailure(error: unknown, secrets: RunEnvironment["secrets"]): StepFailure {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : `The step threw ${describeValue(error)}.`;
    return { name: "Error", message: secrets.redactText(message) };
  }
  const code: unknown = "code" in error ? error.code : undefined;
  return secrets.redact({
    name: error.name,
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
    ...(error instanceof StepNotJson ? { kind: "not-json" as const, found: error.found } : {}),
    ...(error instanceof SecretInStep ? { kind: "secret" as const } : {}),
    ...(error instanceof StepUnknown ? { kind: "unknown" as const } : {}),
  });
}

/** The error that the body gets: the same when the step fails and when its failure is replayed. */
function toError(
  step: Step,
  key: string,
  failure: StepFailure,
  environment: RunEnvironment,
  options?: { readonly cause: unknown },
): Error {
  switch (failure.kind) {
    case "not-json":
      return new StepNotJson(step.name, failure.found ?? "something else");
    case "secret":
      return new SecretInStep(step.name);
    case "unknown":
      return new StepUnknown(step.name, stepContext(key, environment).key);
    default:
      return new StepFailed(step.name, failure, options);
  }
}

function stepContext(key: string, { runId, cancellation }: RunEnvironment): StepContext {
  return {
    key: `${runId}/${key}`,
    get signal() {
      return cancellation.stepSignal;
    },
  };
}
