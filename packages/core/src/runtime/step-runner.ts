/**
 * Does a step once, and writes down what came of it before anybody uses it.
 *
 * On replay the recorded result is given back, or the recorded failure thrown.
 * A step that began and was never recorded is its author's to decide.
 */
import type { Step, StepContext, StepEvent } from "../effects.ts";
import { SecretInStep, StepFailed, StepNotJson, StepUnknown } from "../errors.ts";
import { copyJson, type Json, deepCopy } from "../util/json.ts";
import { stopOnFailure } from "./replies.ts";
import type { Failure, StepBegun, Stepped } from "./journal.ts";
import { describeValue } from "../util/describe-value.ts";
import type { RunEnvironment } from "./environment.ts";

/** What a step needs of the run it is part of. */
export interface StepHost {
  readonly world: RunEnvironment;
  /** How many emits have gone out. */
  readonly emits: number;
  takeStep(key: string): Stepped | StepBegun | undefined;
}

export async function runStep(step: Step, key: string, scene: StepHost): Promise<unknown> {
  const { secrets } = scene.world;
  // The name stands in the journal.
  if (secrets.contains(step.name))
    throw new SecretInStep(secrets.redactText(step.name), "is named after a secret");
  const recorded = scene.takeStep(key);
  if (recorded === undefined || "begun" in recorded) {
    // Also where the outcome of an earlier try is unknown: of several processes that replay the run, one may try again.
    const writing = stopOnFailure(() => scene.world.journal?.begin?.({ step: key, begun: true }));
    if (writing !== undefined) await writing;
    const act = recorded === undefined ? executeStep : resolveUnknownStep;
    return record(step, key, scene, () => act(step, key, scene.world));
  }
  const { value, error } = recorded;
  if (error !== undefined) throw failed(step, key, error, scene.world);
  return deepCopy(value);
}

async function executeStep(step: Step, key: string, world: RunEnvironment): Promise<unknown> {
  switch (step.step) {
    case "call":
      return step.run(contextOf(key, world));
    case "now":
      return world.now();
    case "random":
      return world.random();
    case "uuid":
      return world.uuid();
    default:
      return step satisfies never;
  }
}

/** A crash fell between doing the step and recording it. */
async function resolveUnknownStep(step: Step, key: string, world: RunEnvironment): Promise<unknown> {
  const onUnknown = step.step === "call" ? (step.onUnknown ?? "fail") : "retry";
  if (onUnknown === "retry") return executeStep(step, key, world);
  if (onUnknown === "fail") throw new StepUnknown(step.name, contextOf(key, world).key);
  return onUnknown(contextOf(key, world));
}

/** Does a step, tells what became of it, and writes that down. That it was done is true whatever its journal does. */
async function record(
  step: Step,
  key: string,
  scene: StepHost,
  act: () => Promise<unknown>,
): Promise<Json | undefined> {
  const { journal, secrets } = scene.world;
  const settle = async (
    state: "done" | "failed",
    outcome: Pick<Stepped, "value" | "error">,
  ): Promise<void> => {
    // At once: a reader who is slow must not keep from the journal what was done.
    let writing: Promise<void> | undefined;
    let telling: void | Promise<void>;
    try {
      writing = stopOnFailure(() => journal?.append({ step: key, ...outcome, emits: scene.emits }));
    } finally {
      telling = tell(step, key, state, scene.world);
    }
    if (writing !== undefined || telling !== undefined) await Promise.all([writing, telling]);
  };
  const telling = tell(step, key, "begun", scene.world);
  if (telling !== undefined) await telling;
  let value: Json | undefined;
  try {
    value = asJson(step.name, await act(), secrets);
  } catch (error) {
    const failure = failureOf(error, secrets);
    await settle("failed", { error: failure });
    throw failed(step, key, failure, scene.world, { cause: error });
  }
  // A copy: the body may change what it is given, the journal must not change with it.
  await settle("done", value === undefined ? {} : { value: deepCopy(value) });
  return value;
}

/** What is only looked up, such as the time, is not worth telling. */
function tell(
  step: Step,
  key: string,
  state: StepEvent["state"],
  world: RunEnvironment,
): void | Promise<void> {
  if (step.step === "call") return world.onStep({ step: key, state });
}

/** What a step returned, as a copy that a journal can hold. The body gets the copy too, so that replay gives it the same. */
function asJson(name: string, returned: unknown, secrets: RunEnvironment["secrets"]): Json | undefined {
  if (returned === undefined) return undefined;
  if (secrets.contains(returned)) throw new SecretInStep(name);
  const copied = copyJson(returned);
  if ("json" in copied) return copied.json;
  const { found, at } = copied.problem;
  throw new StepNotJson(name, at === "" ? found : `${found} at ${at}`);
}

function failureOf(error: unknown, secrets: RunEnvironment["secrets"]): Failure {
  if (!(error instanceof Error)) return { name: "Error", message: secrets.redactText(wordsFor(error)) };
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

const wordsFor = (thrown: unknown): string =>
  typeof thrown === "string" ? thrown : `The step threw ${describeValue(thrown)}.`;

/** The error a body is given for a failure: the same just now and on replay. */
function failed(
  step: Step,
  key: string,
  failure: Failure,
  world: RunEnvironment,
  options?: { readonly cause: unknown },
): Error {
  switch (failure.kind) {
    case "not-json":
      return new StepNotJson(step.name, failure.found ?? "something else");
    case "secret":
      return new SecretInStep(step.name);
    case "unknown":
      return new StepUnknown(step.name, contextOf(key, world).key);
    default:
      return new StepFailed(step.name, failure, options);
  }
}

/** What a step is told: an idempotency key, and when to stop. */
function contextOf(key: string, { runId, closing }: RunEnvironment): StepContext {
  return {
    key: `${runId}/${key}`,
    get signal() {
      return closing.stepSignal;
    },
  };
}
