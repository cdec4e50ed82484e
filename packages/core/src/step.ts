import { answerable, type Answerable } from "./ask/answerable.ts";
import type { OnUnknown, Step, StepContext } from "./effects.ts";
import { InvalidDefinition } from "./errors.ts";
import { show } from "./util/describe-value.ts";

/** Does something once in a run, however often the run is replayed; the result is JSON. */
function call<T>(
  name: string,
  run: (context: StepContext) => T | Promise<T>,
  options: { readonly onUnknown?: OnUnknown<T> } = {},
): Answerable<Step, T> {
  if (typeof name !== "string" || name === "" || name.includes("#")) {
    throw new InvalidDefinition(`A step has a name without "#", not ${show(name)}.`);
  }
  if (typeof run !== "function") {
    throw new InvalidDefinition(`The step ${JSON.stringify(name)} has a function to run, not ${show(run)}.`);
  }
  const { onUnknown } = options;
  if (
    onUnknown !== undefined &&
    onUnknown !== "fail" &&
    onUnknown !== "retry" &&
    typeof onUnknown !== "function"
  ) {
    throw new InvalidDefinition(
      `The step ${JSON.stringify(name)} has an onUnknown that is ${show(onUnknown)}; it is "fail", "retry" or a function.`,
    );
  }
  return answerable({
    emit: "step",
    step: "call",
    name,
    run,
    ...(onUnknown === undefined ? {} : { onUnknown }),
  });
}

const recorded = <T>(step: "now" | "random" | "uuid"): Answerable<Step, T> =>
  answerable({ emit: "step", step, name: `step.${step}` });

/** `yield* step(name, fn)`; and the recorded `step.now()`, `step.random()`, `step.uuid()`. */
export const step: typeof call & {
  /** Milliseconds since 1970, the same on replay. */
  readonly now: () => Answerable<Step, number>;
  /** A number from 0 up to 1, the same on replay. */
  readonly random: () => Answerable<Step, number>;
  readonly uuid: () => Answerable<Step, string>;
} = Object.assign(call, {
  now: () => recorded<number>("now"),
  random: () => recorded<number>("random"),
  uuid: () => recorded<string>("uuid"),
});
