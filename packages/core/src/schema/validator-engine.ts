/**
 * ajv, as values are checked with it. Loaded with the first check.
 *
 *   1. A check has a limit of time. It is only set for values and schemas that can take long: setting it takes 0.1 ms.
 *   2. Of a value with many members only the first error is looked for: ajv would collect one for every member.
 */
import type { Ajv, FuncKeywordDefinition, ValidateFunction } from "ajv";
import { canonicalJson } from "../util/json.ts";
import { builtin, startTimer, mapMaybeAsync } from "../util/platform.ts";
import type { JsonSchema } from "./json-schema.ts";
import { problemOf } from "./error-messages.ts";

/** Values within both are checked without a limit of time, unless the schema may take long. */
const FEW_MEMBERS = 1000;
const FEW_CHARACTERS = 4000;
const TOO_LONG = "takes too long to check";

/** Compiles a schema. No other schema has the same number. */
export type Compile = (schema: JsonSchema, number: number) => Validator;

interface Engine {
  /** Finds all errors. */
  readonly all: Ajv;
  /** Finds the first error. */
  readonly first: Ajv;
}

/** A schema that was compiled. */
export class Validator {
  readonly #engine: Engine;
  readonly #schema: object;
  readonly #isCostly: boolean;
  readonly #validate: ValidateFunction;
  /** Compiled with the first value that has many members. */
  #validateFirst: ValidateFunction | undefined;

  constructor(engine: Engine, schema: object) {
    this.#engine = engine;
    this.#schema = schema;
    this.#isCostly = isCostly(schema);
    this.#validate = engine.all.compile(schema);
  }

  findProblem(value: unknown, subject: string): string | undefined | Promise<string | undefined> {
    const left = { members: FEW_MEMBERS, characters: FEW_CHARACTERS };
    countOff(value, left);
    const validate =
      left.members >= 0 ? this.#validate : (this.#validateFirst ??= this.#engine.first.compile(this.#schema));
    const check = (): string | undefined =>
      // The errors are read at once: the next call of the same function overwrites them.
      validate(value) ? undefined : problemOf(validate.errors ?? [], subject);
    if (!this.#isCostly && left.members >= 0 && left.characters >= 0) return check();
    return mapMaybeAsync<Outcome<string | undefined>, string | undefined>(inTime(this, check), (outcome) =>
      outcome === undefined ? `${subject} ${TOO_LONG}`.trimStart() : outcome.found,
    );
  }

  /** Takes the schema out of ajv. */
  forget(): void {
    this.#engine.all.removeSchema(this.#schema);
    if (this.#validateFirst !== undefined) this.#engine.first.removeSchema(this.#schema);
  }
}

/** Counts down by the members and the characters of a value; one of them is below zero where it has more. */
function countOff(value: unknown, left: { members: number; characters: number }): void {
  left.members -= 1;
  if (typeof value === "string") left.characters -= value.length;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left.members >= 0; index++) countOff(value[index], left);
    return;
  }
  for (const name in value) {
    if (left.members < 0) return;
    left.characters -= name.length;
    countOff((value as { readonly [name: string]: unknown })[name], left);
  }
}

/** A pattern that takes no time to speak of on a short text: it has no groups, and repeats one thing at most. */
const SIMPLE = /^[^(*+{?]*[*+{?]?[^(*+{?]*$/;

/** Whether a small value may take long to check: by a pattern, or because the schema refers to itself. */
function isCostly(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]: [string, unknown]) => {
    if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(keyword)) return true;
    if (keyword === "pattern" && typeof value === "string") return !SIMPLE.test(value);
    const isByPattern = keyword === "patternProperties" && typeof value === "object" && value !== null;
    return (isByPattern && !Object.keys(value).every((name) => SIMPLE.test(name))) || isCostly(value);
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
    // NaN is no number, and what every object inherits is no property of a value.
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
      // A person is told everything at once, in sentences made from the schema.
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

/** ajv compares every item with every other, which a long list makes last for minutes. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  validate: (isWanted: boolean, items: readonly unknown[]) =>
    !isWanted || new Set(items.map(canonicalJson)).size === items.length,
};

/**
 * Runs checks of values that clients chose, within a limit of time.
 *
 * A regular expression, or a schema that refers to itself, can take years on a value that was made for it.
 *
 *   1. A check that takes longer than SLOW_MS is stopped, and has no outcome. Only Node can stop one.
 *   2. A check first gets QUICK_MS, at once. Checks share QUICK_MS_PER_TURN in each turn of the event loop; the others wait.
 *   3. A check that needs longer starts again in a second queue, of which one runs per turn, while no quick ones wait. So the
 *      event loop is held up by one slow check at most, however many messages or members of a batch need one.
 *   4. In both queues the schemas take turns: calls of one tool that take long do not delay calls of another.
 */

const QUICK_MS = 2;
const QUICK_MS_PER_TURN = 25;
const SLOW_MS = 100;

/** What a check found; nothing where it was stopped. */
type Outcome<Found> = { readonly found: Found } | undefined;

let runWithin: RunWithin | undefined;
/** Time that quick checks took since the event loop last turned, in milliseconds. */
const turn = { spent: 0, isScheduled: false };

/** Checks that wait, by their schemas, of which the first is the next to have its turn. */
class Queue {
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

const quick = new Queue();
const slow = new Queue();

/** Runs a check that depends on nothing but its value: it may be stopped halfway, and run again. */
function inTime<Found>(schema: object, check: () => Found): Outcome<Found> | Promise<Outcome<Found>> {
  const run = (runWithin ??= createTimeLimit());
  if (run === undefined) return { found: check() };
  if (turn.spent < QUICK_MS_PER_TURN && quick.isEmpty)
    return runQuick(run, check) ?? waitIn(slow, schema, () => run(check, SLOW_MS));
  return waitIn(quick, schema, () => runQuick(run, check)).then(
    (outcome) => outcome ?? waitIn(slow, schema, () => run(check, SLOW_MS)),
  );
}

function runQuick<Found>(run: RunWithin, check: () => Found): Outcome<Found> {
  const began = processorTime();
  try {
    return run(check, QUICK_MS);
  } finally {
    turn.spent += processorTime() - began;
    scheduleTurn();
  }
}

function waitIn<Found>(queue: Queue, schema: object, run: () => Outcome<Found>): Promise<Outcome<Found>> {
  scheduleTurn();
  return new Promise<() => Outcome<Found>>((resolve) => {
    queue.add(schema, () => resolve(kept(run)));
  }).then((outcome) => outcome());
}

/** Runs at once, and gives back what returns or throws the same. */
function kept<Value>(run: () => Value): () => Value {
  try {
    const value = run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function scheduleTurn(): void {
  if (turn.isScheduled) return;
  turn.isScheduled = true;
  afterTurn(takeTurn);
}

function takeTurn(): void {
  turn.isScheduled = false;
  turn.spent = 0;
  while (!quick.isEmpty && turn.spent < QUICK_MS_PER_TURN) quick.runNext();
  if (quick.isEmpty) slow.runNext();
  if (!quick.isEmpty || !slow.isEmpty) scheduleTurn();
}

/** Stops code that runs too long. Loaded with the first check of a value: most programs that load core never need it. */

interface VirtualMachines {
  createContext(object: object): object;
  Script: new (code: string) => { runInContext(context: object, options: { timeout: number }): unknown };
}

/** The least of its time for which the processor works on something, before it is taken to need more: three quarters. */
const ENOUGH = 0.75;
/** How many times longer something may take on a machine that is busy with other programs. */
const LONGEST = 16;

/**
 * Runs something for at most so many milliseconds of processor time, and gives back what it returned; nothing where it was
 * stopped. Where other programs kept the processor busy, it is run again, for longer.
 */
type RunWithin = <Found>(run: () => Found, milliseconds: number) => { readonly found: Found } | undefined;

/** What can stop code, a regular expression among it. Nothing where the platform cannot: Node can. */
function createTimeLimit(): RunWithin | undefined {
  // What Node documents of it.
  const machines = builtin("node:vm") as VirtualMachines | undefined;
  if (machines === undefined) return undefined;
  const place: { run?: () => void } = {};
  const context = machines.createContext(place);
  const script = new machines.Script("run()");

  function runOnce<Found>(run: () => Found, timeout: number): { readonly found: Found } | undefined {
    let outcome: { readonly found: Found } | { readonly thrown: unknown } | undefined;
    place.run = () => {
      try {
        outcome = { found: run() };
      } catch (thrown) {
        outcome = { thrown };
      }
    };
    try {
      script.runInContext(context, { timeout });
    } catch {
      // Stopped: that cannot be caught inside.
      return undefined;
    } finally {
      delete place.run;
    }
    if (outcome !== undefined && "thrown" in outcome) throw outcome.thrown;
    return outcome;
  }

  return (run, milliseconds) => {
    const began = processorTime();
    const outcome = runOnce(run, milliseconds);
    const spent = processorTime() - began;
    if (outcome !== undefined || spent > ENOUGH * milliseconds) return outcome;
    return runOnce(run, Math.ceil(milliseconds * Math.min(LONGEST, milliseconds / spent)));
  };
}

/** The time that processors have spent on this process, in milliseconds. */
function processorTime(): number {
  const { process } = globalThis as {
    readonly process?: { cpuUsage(): { readonly user: number; readonly system: number } };
  };
  const { user = 0, system = 0 } = process?.cpuUsage() ?? {};
  return (user + system) / 1000;
}

/** Calls back when the event loop has taken what came in. Not by a timer on Node: those that are due keep sockets waiting. */
function afterTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };
  if (setImmediate === undefined) startTimer(0, callback);
  else setImmediate(callback);
}
