/**
 * Runs a step once, and records its outcome before the body sees it.
 *
 * On replay the recorded result is returned, or the recorded failure thrown. For a step that began and has no recorded
 * outcome, its author decides with `onUnknown`.
 */
import type { Step, StepContext, StepEvent } from "../effects.ts";
import { SecretInStep, StepFailed, StepNotJson, StepUnknown } from "../errors.ts";
import { copyJson, type Json, deepCopy } from "../util/json.ts";
import type { StepFailure } from "./journal.ts";
import type { RunJournal } from "./run-journal.ts";
import { describeValue } from "../util/describe-value.ts";
import type { RunEnvironment } from "./environment.ts";

export async function runStep(
  step: Step,
  key: string,
  journal: RunJournal | undefined,
  environment: RunEnvironment,
): Promise<unknown> {
  const { secrets } = environment;
  // The journal contains the name.
  if (secrets.contains(step.name))
    throw new SecretInStep(secrets.redactText(step.name), "has a secret in its name");
  const recorded = journal?.nextStep(key);
  if (recorded !== undefined && !("begun" in recorded)) {
    if (recorded.error !== undefined) throw toError(step, key, recorded.error, environment);
    return deepCopy(recorded.value);
  }
  // Also if the outcome of an earlier attempt is unknown: of several processes that replay the run, only one may try again.
  const writing = journal?.appendStepBegun(key);
  if (writing !== undefined) await writing;
  const notifying = notify(step, key, "begun", environment);
  if (notifying !== undefined) await notifying;
  const execute = recorded === undefined ? executeStep : resolveUnknownStep;
  let value: Json | undefined;
  let thrown: { readonly cause: unknown; readonly failure: StepFailure } | undefined;
  try {
    value = toJson(step.name, await execute(step, key, environment), secrets);
  } catch (cause) {
    thrown = { cause, failure: toFailure(cause, secrets) };
  }
  // The journal first: a slow `onStep` must not delay the record of a side effect that has happened.
  let recording: Promise<void> | undefined;
  let ending: void | Promise<void>;
  try {
    // A copy: the body may change the value that it is given.
    const done = value === undefined ? {} : { value: deepCopy(value) };
    recording = journal?.appendStep(key, thrown === undefined ? done : { error: thrown.failure });
  } finally {
    ending = notify(step, key, thrown === undefined ? "done" : "failed", environment);
  }
  if (recording !== undefined || ending !== undefined) await Promise.all([recording, ending]);
  if (thrown !== undefined) throw toError(step, key, thrown.failure, environment, { cause: thrown.cause });
  return value;
}

async function executeStep(step: Step, key: string, environment: RunEnvironment): Promise<unknown> {
  switch (step.step) {
    case "call":
      return step.run(stepContext(key, environment));
    case "now":
      return environment.clock.now();
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

/** `step.now()` and the like are not reported: they are of no interest to a user. */
function notify(
  step: Step,
  key: string,
  state: StepEvent["state"],
  environment: RunEnvironment,
): Promise<void> | undefined {
  return step.step === "call" ? environment.onStep({ step: key, state }) : undefined;
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
