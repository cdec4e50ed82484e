/**
 * Checks values against JSON Schema, with ajv, and caches compiled validators.
 *
 *   1. ajv is loaded with the first check, not with core.
 *   2. A schema is compiled once, by content: two equal schemas share a validator.
 *   3. At most MAX_VALIDATORS are cached; the least recently used is evicted first. ajv itself never frees a compiled schema
 *      completely, so its instances are replaced after four times as many.
 *   4. Only checks of large values and of schemas that may be slow have a time limit: setting it takes 0.1 ms.
 *   5. For a value with many members, only the first error is searched: ajv would collect one for every member.
 */
import type { Ajv, FuncKeywordDefinition, ValidateFunction } from "ajv";
import { InvalidDefinition } from "../errors.ts";
import { canonicalJson } from "../util/json.ts";
import { mapMaybeAsync } from "../util/platform.ts";
import { formatAjvErrors, formatIssues } from "./error-messages.ts";
import type { JsonSchema, Schema } from "./schema.ts";
import { runWithTimeLimit } from "./time-limit.ts";

/** A valid value, or the problem: a predicate such as "must be at most 30". */
export type Verdict<T = unknown> = { readonly value: T } | { readonly problem: string };

/**
 * Checks a value against JSON Schema. Synchronous, except for a schema that is not compiled yet, and for slow checks. `whose` names
 * the schema in an error about it. `subject` names the value; without it, a problem of the whole value is a predicate.
 */
export function findProblem(
  schema: JsonSchema,
  value: unknown,
  { whose = "A schema", subject = "" }: { readonly whose?: string; readonly subject?: string } = {},
): string | undefined | Promise<string | undefined> {
  return mapMaybeAsync(validatorFor(schema, whose), (validator) => validator.findProblem(value, subject));
}

/** Checks a value against JSON Schema, then against the Standard Schema, which may also change it. The value is called "it". */
export async function checkValue(schema: Schema, value: unknown, whose = "A schema"): Promise<Verdict> {
  const found = findProblem(schema.json, value, { whose, subject: "it" });
  const problem = found instanceof Promise ? await found : found;
  if (problem !== undefined) return { problem };
  if (schema.standard === undefined) return { value };
  const result = await schema.standard["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value };
  return { problem: formatIssues(result.issues) };
}

const MAX_VALIDATORS = 1000;

/** By canonical text, the least recently used first; promises while they are compiled. */
const validators = new Map<string, Validator | Promise<Validator>>();
/** Canonical texts of frozen schemas: computing one takes long. Other schemas were created for one question. */
const canonicalTexts = new WeakMap<JsonSchema, string>();
let compiledCount = 0;
let engines: Promise<Engines> | undefined;

/** Loads ajv ahead of the first check. */
export async function loadValidator(): Promise<void> {
  await (engines ??= loadEngines());
}

function validatorFor(schema: JsonSchema, whose: string): Validator | Promise<Validator> {
  const content = canonicalTextOf(schema);
  const known = validators.get(content);
  if (known === undefined && validators.size >= MAX_VALIDATORS) evictLeastRecent();
  const validator = known ?? compile(schema, content, whose);
  // The least recently used comes first. Keeping that order for a cache that evicts nothing takes 5 % of the time of a plain call.
  if (known === undefined || validators.size > MAX_VALIDATORS / 2) {
    validators.delete(content);
    validators.set(content, validator);
  }
  return validator;
}

function canonicalTextOf(schema: JsonSchema): string {
  const known = canonicalTexts.get(schema);
  if (known !== undefined) return known;
  const content = canonicalJson(schema);
  if (Object.isFrozen(schema)) canonicalTexts.set(schema, content);
  return content;
}

function evictLeastRecent(): void {
  for (const [content, validator] of validators) {
    validators.delete(content);
    if (!(validator instanceof Promise)) validator.dispose();
    return;
  }
}

async function compile(schema: JsonSchema, content: string, whose: string): Promise<Validator> {
  compiledCount += 1;
  if (compiledCount % (4 * MAX_VALIDATORS) === 0) {
    validators.clear();
    engines = undefined;
  }
  // With an id of its own, a schema can refer to itself: `$ref: "#"`.
  const $id = `photon:schema-${compiledCount}`;
  const { draft7, current } = await (engines ??= loadEngines());
  try {
    const { $schema: dialect, ...rest } = schema;
    const validator = DRAFT_7.test(String(dialect))
      ? new Validator(draft7, { $id, ...rest })
      : new Validator(current, { $id, ...schema });
    if (validators.has(content)) validators.set(content, validator);
    return validator;
  } catch (error) {
    validators.delete(content);
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDefinition(`${whose} is not a valid JSON Schema: ${reason}`, { cause: error });
  }
}

/** Values within both are checked without a time limit, unless the schema may be slow. */
const SMALL_MEMBERS = 1000;
const SMALL_CHARACTERS = 4000;

class Validator {
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
    try {
      this.#validate = engine.all.compile(schema);
    } catch (error) {
      engine.all.removeSchema(schema);
      throw error;
    }
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
    return mapMaybeAsync(runWithTimeLimit(this, check), (outcome) =>
      outcome === undefined ? `${subject} takes too long to check`.trimStart() : outcome.found,
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

/** A pattern that is fast on a short text: without groups, and with one quantifier at most. */
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

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/** The instances of ajv for one dialect. */
interface Engine {
  /** Finds all errors: a person gets all problems together. */
  readonly all: Ajv;
  /** Finds the first error. */
  readonly first: Ajv;
}

interface Engines {
  readonly current: Engine;
  readonly draft7: Engine;
}

async function loadEngines(): Promise<Engines> {
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
  const createEngine = (AjvOfDialect: typeof draft7.Ajv | typeof current.Ajv2020): Engine => {
    const create = (allErrors: boolean): Ajv => {
      const ajv = new AjvOfDialect({ ...options, allErrors });
      formats.default.default(ajv);
      return ajv.removeKeyword("uniqueItems").addKeyword(uniqueItems);
    };
    let first: Ajv | undefined;
    return {
      all: create(true),
      get first() {
        return (first ??= create(false));
      },
    };
  };
  return { current: createEngine(current.Ajv2020), draft7: createEngine(draft7.Ajv) };
}

/** ajv compares every item with every other, which takes minutes for a long list. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  validate: (isWanted: boolean, items: readonly unknown[]) =>
    !isWanted || new Set(items.map(canonicalJson)).size === items.length,
};
