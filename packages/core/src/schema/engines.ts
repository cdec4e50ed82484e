/**
 * ajv, as values are checked with it. Loaded with the first check.
 *
 *   1. A check has a limit of time. It is only set for values and schemas that can take long: setting it takes 0.1 ms.
 *   2. Of a value with many members only the first error is looked for: ajv would collect one for every member.
 */
import type { Ajv, FuncKeywordDefinition, ValidateFunction } from "ajv";
import { canonical } from "../json.ts";
import { whenReady } from "../when-ready.ts";
import { inTime, type Outcome } from "./in-time.ts";
import type { JsonSchema } from "./json-schema.ts";
import { problemOf } from "./problem.ts";

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
    return whenReady<Outcome<string | undefined>, string | undefined>(inTime(this, check), (outcome) =>
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
    !isWanted || new Set(items.map(canonical)).size === items.length,
};
