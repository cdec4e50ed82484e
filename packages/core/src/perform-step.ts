/**
 * Does a step once, and writes down what came of it before anybody uses it.
 *
 * On replay the recorded result is given back, or the recorded failure thrown.
 * A step that began and was never recorded is its author's to decide.
 */
import { Stop } from "./closing.ts";
import type { Step } from "./effects.ts";
import { SecretInStep, StepFailed, StepNotJson, StepUnknown } from "./errors.ts";
import type { Entry, Failure, Stepped } from "./journal.ts";
import { copyJson, type Json } from "./json.ts";
import { show } from "./show.ts";
import type { World } from "./world.ts";

/** What a step needs of the run it is part of. */
export interface StepScene {
  readonly world: World;
  /** How many emits have gone out. */
  readonly emits: number;
  takeStep(key: string): Entry | undefined;
}

export async function performStep(step: Step, key: string, scene: StepScene): Promise<unknown> {
  const recorded = scene.takeStep(key);
  if (recorded === undefined) {
    await keep(() => scene.world.journal?.begin?.({ step: key, begun: true }));
    return record(step, key, scene, () => doStep(step, key, scene.world));
  }
  if ("begun" in recorded) return record(step, key, scene, () => decideUnknown(step, key, scene.world));
  // `takeStep` gives steps only, and what is not begun is done.
  const { value, error } = recorded as Stepped;
  if (error !== undefined) throw failed(step, key, error, scene.world);
  return value;
}

async function doStep(step: Step, key: string, { run, closing, now, random, uuid }: World): Promise<unknown> {
  switch (step.step) {
    case "call":
      return step.run({
        key: idempotencyKey(run, key),
        get signal() {
          return closing.signal;
        },
      });
    case "now":
      return now();
    case "random":
      return random();
    case "uuid":
      return uuid();
    default:
      return step satisfies never;
  }
}

/** A crash fell between doing the step and recording it. */
async function decideUnknown(step: Step, key: string, world: World): Promise<unknown> {
  const onUnknown = step.step === "call" ? (step.onUnknown ?? "fail") : "retry";
  const id = idempotencyKey(world.run, key);
  if (onUnknown === "retry") return doStep(step, key, world);
  if (onUnknown === "fail") throw new StepUnknown(step.name, id);
  return onUnknown({
    key: id,
    get signal() {
      return world.closing.signal;
    },
  });
}

async function record(
  step: Step,
  key: string,
  scene: StepScene,
  act: () => Promise<unknown>,
): Promise<Json | undefined> {
  const { journal, secrets } = scene.world;
  const append = (outcome: Pick<Stepped, "value" | "error">): Promise<void> =>
    keep(() => journal?.append({ step: key, ...outcome, emits: scene.emits }));
  let value: Json | undefined;
  try {
    value = asJson(step.name, await act(), secrets);
  } catch (error) {
    const failure = failureOf(error, secrets);
    await append({ error: failure });
    throw failed(step, key, failure, scene.world, { cause: error });
  }
  await append(value === undefined ? {} : { value });
  return value;
}

/** What a step returned, as a copy that a journal can hold. The body gets the copy too, so that replay gives it the same. */
function asJson(name: string, returned: unknown, secrets: World["secrets"]): Json | undefined {
  if (returned === undefined) return undefined;
  if (secrets.isIn(returned)) throw new SecretInStep(name);
  const copied = copyJson(returned);
  if ("json" in copied) return copied.json;
  const { found, at } = copied.problem;
  throw new StepNotJson(name, at === "" ? found : `${found} at ${at}`);
}

function failureOf(error: unknown, secrets: World["secrets"]): Failure {
  if (!(error instanceof Error)) return { name: "Error", message: secrets.redactText(wordsFor(error)) };
  const code: unknown = "code" in error ? error.code : undefined;
  return {
    name: error.name,
    message: secrets.redactText(error.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(error instanceof StepNotJson ? { found: error.found } : {}),
  };
}

const wordsFor = (thrown: unknown): string =>
  typeof thrown === "string" ? thrown : `The step threw ${show(thrown)}.`;

/** The error a body is given for a failure: the same just now and on replay. */
function failed(
  step: Step,
  key: string,
  failure: Failure,
  world: World,
  options?: { readonly cause: unknown },
): Error {
  switch (failure.name) {
    case "StepNotJson":
      return new StepNotJson(step.name, failure.found ?? "something else");
    case "SecretInStep":
      return new SecretInStep(step.name);
    case "StepUnknown":
      return new StepUnknown(step.name, idempotencyKey(world.run, key));
    default:
      return new StepFailed(step.name, failure, options);
  }
}

const idempotencyKey = (run: string, key: string): string => `${run}/${key}`;

/** Writes to the journal; a journal that fails ends the run, for nothing may be used that was not kept. */
export async function keep(write: () => void | Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new Stop(error);
  }
}
