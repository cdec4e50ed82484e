/**
 * Compiles schemas with ajv, and runs checks within a time limit. Loaded with the first check.
 *
 * A regular expression, or a schema that refers to itself, can take years on a value that a client has chosen.
 *
 *   1. Only checks of values and schemas that may be slow have a time limit: setting it takes 0.1 ms.
 *   2. A check that takes longer than SLOW_MS is stopped: the value is invalid. Only Node can stop one.
 *   3. A check first gets QUICK_MS, synchronously. Checks share QUICK_MS_PER_TURN in each turn of the event loop; the others wait.
 *   4. A check that needs longer starts again in a second queue, of which one runs per turn, while no quick ones wait. So the
 *      event loop is blocked by one slow check at most, however many messages or members of a batch need one.
 *   5. In both queues the schemas take turns: slow calls of one tool do not delay calls of another.
 *   6. For a value with many members, only the first error is searched: ajv would collect one for every member.
 */
import type { Ajv, FuncKeywordDefinition, ValidateFunction } from "ajv";
import { canonicalJson } from "../util/json.ts";
import { nodeBuiltin, startTimer, mapMaybeAsync } from "../util/platform.ts";
import type { JsonSchema } from "./json-schema.ts";
import { formatAjvErrors } from "./error-messages.ts";

/** Values within both are checked without a time limit, unless the schema may be slow. */
const SMALL_MEMBERS = 1000;
const SMALL_CHARACTERS = 4000;
const TOO_LONG = "takes too long to check";

/** Compiles a schema. `number` makes its id unique. */
export type Compile = (schema: JsonSchema, number: number) => Validator;

interface Engine {
  /** Finds all errors. */
  readonly all: Ajv;
  /** Finds the first error. */
  readonly first: Ajv;
}

export class Validator {
  readonly #engine: Engine;
  readonly #schema: object;
  readonly #mayBeSlow: boolean;
  readonly #validate: ValidateFunction;
  /** Compiled for the first value that has many members. */
  #validateFirst: ValidateFunction | undefined;

  constructor(engine: Engine, schema: object) {
    this.#engine = engine;
    this.#schema = schema;
    this.#mayBeSlow = mayBeSlow(schema);
    this.#validate = engine.all.compile(schema);
  }

  findProblem(value: unknown, subject: string): string | undefined | Promise<string | undefined> {
    const left = { members: SMALL_MEMBERS, characters: SMALL_CHARACTERS };
    subtractSize(value, left);
    const validate =
      left.members >= 0 ? this.#validate : (this.#validateFirst ??= this.#engine.first.compile(this.#schema));
    const check = (): string | undefined =>
      // The errors are read synchronously: the next call of the same function overwrites them.
      validate(value) ? undefined : formatAjvErrors(validate.errors ?? [], subject);
    if (!this.#mayBeSlow && left.members >= 0 && left.characters >= 0) return check();
    return mapMaybeAsync<CheckOutcome<string | undefined>, string | undefined>(
      runWithTimeLimit(this, check),
      (outcome) => (outcome === undefined ? `${subject} ${TOO_LONG}`.trimStart() : outcome.found),
    );
  }

  /** Removes the schema from ajv. */
  dispose(): void {
    this.#engine.all.removeSchema(this.#schema);
    if (this.#validateFirst !== undefined) this.#engine.first.removeSchema(this.#schema);
  }
}

/** Subtracts the members and characters of a value, until one of them is below zero. */
function subtractSize(value: unknown, left: { members: number; characters: number }): void {
  left.members -= 1;
  if (typeof value === "string") left.characters -= value.length;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left.members >= 0; index++) subtractSize(value[index], left);
    return;
  }
  for (const name in value) {
    if (left.members < 0) return;
    left.characters -= name.length;
    subtractSize((value as { readonly [name: string]: unknown })[name], left);
  }
}

/** A pattern that takes no time to speak of on a short text: it has no groups, and repeats one thing at most. */
const SAFE_PATTERN = /^[^(*+{?]*[*+{?]?[^(*+{?]*$/;

/** Whether a small value may take long to check: by a pattern, or because the schema refers to itself. */
function mayBeSlow(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]: [string, unknown]) => {
    if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(keyword)) return true;
    if (keyword === "pattern" && typeof value === "string") return !SAFE_PATTERN.test(value);
    const isByPattern = keyword === "patternProperties" && typeof value === "object" && value !== null;
    return (isByPattern && !Object.keys(value).every((name) => SAFE_PATTERN.test(name))) || mayBeSlow(value);
  });
}

export async function loadEngines(): Promise<Compile> {
  const [draft7, current, formats] = await Promise.all([
    import("ajv"),
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
  ]);
  const options = {
    verbose: true,
    // Unknown keywords (`x-…`, `enumNames`) are annotations, and nothing is printed about them.
    strict: false,
    logger: false,
    // NaN is not a number, and inherited properties do not count.
    strictNumbers: true,
    ownProperties: true,
    addUsedSchema: false,
  } as const;
  const prepare = (engine: Ajv): Ajv => {
    formats.default.default(engine);
    return engine.removeKeyword("uniqueItems").addKeyword(uniqueItems);
  };
  const engineOf = (create: (more: { readonly allErrors: boolean }) => Ajv): Engine => {
    let first: Ajv | undefined;
    return {
      // A person gets all problems together.
      all: prepare(create({ allErrors: true })),
      get first() {
        return (first ??= prepare(create({ allErrors: false })));
      },
    };
  };
  const engines = {
    current: engineOf((more) => new current.Ajv2020({ ...options, ...more })),
    draft7: engineOf((more) => new draft7.Ajv({ ...options, ...more })),
  };
  return (schema, number) => {
    const { $schema: dialect, ...rest } = schema;
    const isDraft7 =
      typeof dialect === "string" && /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(dialect);
    const engine = isDraft7 ? engines.draft7 : engines.current;
    // With an id of its own, a schema can refer to itself: `$ref: "#"`.
    const compilable = { $id: `photon:schema-${number}`, ...(isDraft7 ? rest : schema) };
    try {
      return new Validator(engine, compilable);
    } catch (error) {
      engine.all.removeSchema(compilable);
      throw error;
    }
  };
}

/** ajv compares every item with every other, which takes minutes for a long list. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  validate: (isWanted: boolean, items: readonly unknown[]) =>
    !isWanted || new Set(items.map(canonicalJson)).size === items.length,
};

const QUICK_MS = 2;
const QUICK_MS_PER_TURN = 25;
const SLOW_MS = 100;

/** What a check returned; undefined if it was stopped. */
type CheckOutcome<Found> = { readonly found: Found } | undefined;

let runWithTimeout: RunWithTimeout | undefined;
/** `spent`: CPU time of quick checks in this turn of the event loop, in milliseconds. */
const turn = { spent: 0, isScheduled: false };

/** Waiting checks, by schema. The first schema has the next turn. */
class FairQueue {
  readonly #bySchema = new Map<object, (() => void)[]>();

  get isEmpty(): boolean {
    return this.#bySchema.size === 0;
  }

  add(schema: object, check: () => void): void {
    const others = this.#bySchema.get(schema);
    if (others === undefined) this.#bySchema.set(schema, [check]);
    else others.push(check);
  }

  runNext(): void {
    for (const [schema, checks] of this.#bySchema) {
      const next = checks.shift();
      this.#bySchema.delete(schema);
      if (checks.length > 0) this.#bySchema.set(schema, checks);
      return next?.();
    }
  }
}

const quick = new FairQueue();
const slow = new FairQueue();

/** Runs a pure check: it may be stopped halfway, and run again. */
function runWithTimeLimit<Found>(
  schema: object,
  check: () => Found,
): CheckOutcome<Found> | Promise<CheckOutcome<Found>> {
  const run = (runWithTimeout ??= createRunWithTimeout());
  if (run === undefined) return { found: check() };
  if (turn.spent < QUICK_MS_PER_TURN && quick.isEmpty)
    return runQuickCheck(run, check) ?? enqueue(slow, schema, () => run(check, SLOW_MS));
  return enqueue(quick, schema, () => runQuickCheck(run, check)).then(
    (outcome) => outcome ?? enqueue(slow, schema, () => run(check, SLOW_MS)),
  );
}

function runQuickCheck<Found>(run: RunWithTimeout, check: () => Found): CheckOutcome<Found> {
  const began = processorTime();
  try {
    return run(check, QUICK_MS);
  } finally {
    turn.spent += processorTime() - began;
    scheduleQueues();
  }
}

function enqueue<Found>(
  queue: FairQueue,
  schema: object,
  run: () => CheckOutcome<Found>,
): Promise<CheckOutcome<Found>> {
  scheduleQueues();
  return new Promise<() => CheckOutcome<Found>>((resolve) => {
    queue.add(schema, () => resolve(captureOutcome(run)));
  }).then((outcome) => outcome());
}

/** Runs a function now, and returns one that returns or throws the same. */
function captureOutcome<Value>(run: () => Value): () => Value {
  try {
    const value = run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function scheduleQueues(): void {
  if (turn.isScheduled) return;
  turn.isScheduled = true;
  afterIo(runQueues);
}

function runQueues(): void {
  turn.isScheduled = false;
  turn.spent = 0;
  while (!quick.isEmpty && turn.spent < QUICK_MS_PER_TURN) quick.runNext();
  if (quick.isEmpty) slow.runNext();
  if (!quick.isEmpty || !slow.isEmpty) scheduleQueues();
}

interface NodeVm {
  createContext(object: object): object;
  Script: new (code: string) => { runInContext(context: object, options: { timeout: number }): unknown };
}

/** The share of CPU time that a check must have had before it counts as slow: otherwise other programs were running. */
const MIN_CPU_SHARE = 0.75;
/** How many times longer a check may take on a machine that is busy with other programs. */
const MAX_STRETCH = 16;

/**
 * Runs a function for at most so many milliseconds of CPU time; returns undefined if it was stopped. If other programs kept the
 * CPU busy, it is run again, for longer.
 */
type RunWithTimeout = <Found>(
  run: () => Found,
  milliseconds: number,
) => { readonly found: Found } | undefined;

/** Uses `node:vm`, which can stop even a regular expression; undefined on other platforms. */
function createRunWithTimeout(): RunWithTimeout | undefined {
  const machines = nodeBuiltin("node:vm") as NodeVm | undefined;
  if (machines === undefined) return undefined;
  const sandbox: { run?: () => void } = {};
  const context = machines.createContext(sandbox);
  const script = new machines.Script("run()");

  function runOnce<Found>(run: () => Found, timeout: number): { readonly found: Found } | undefined {
    let outcome: { readonly found: Found } | { readonly thrown: unknown } | undefined;
    sandbox.run = () => {
      try {
        outcome = { found: run() };
      } catch (thrown) {
        outcome = { thrown };
      }
    };
    try {
      script.runInContext(context, { timeout });
    } catch {
      // The timeout, which code inside cannot catch.
      return undefined;
    } finally {
      delete sandbox.run;
    }
    if (outcome !== undefined && "thrown" in outcome) throw outcome.thrown;
    return outcome;
  }

  return (run, milliseconds) => {
    const began = processorTime();
    const outcome = runOnce(run, milliseconds);
    const spent = processorTime() - began;
    if (outcome !== undefined || spent > MIN_CPU_SHARE * milliseconds) return outcome;
    return runOnce(run, Math.ceil(milliseconds * Math.min(MAX_STRETCH, milliseconds / spent)));
  };
}

/** CPU time of this process, in milliseconds. */
function processorTime(): number {
  const { process } = globalThis as {
    readonly process?: { cpuUsage(): { readonly user: number; readonly system: number } };
  };
  const { user = 0, system = 0 } = process?.cpuUsage() ?? {};
  return (user + system) / 1000;
}

/** Calls back after the event loop has polled for I/O. Not a timer on Node: due timers run before sockets. */
function afterIo(callback: () => void): void {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };
  if (setImmediate === undefined) startTimer(0, callback);
  else setImmediate(callback);
}
