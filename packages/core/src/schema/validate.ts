/**
 * Checks values against JSON Schema, with ajv.
 *
 *   1. ajv is loaded with the first check, not with core.
 *   2. A schema is compiled once, by content: two equal schemas share a validator.
 *   3. At most KEPT validators are kept; the one longest unused goes first.
 */
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import { InvalidDefinition } from "../errors.ts";
import { canonical } from "../json.ts";
import type { JsonSchema, Schema } from "./json-schema.ts";
import { problemOf, problemOfIssues } from "./problem.ts";

const KEPT = 1000;

/** A value that passed, or the sentence that says why it did not. */
export type Verdict<T = unknown> = { readonly value: T } | { readonly problem: string };

interface Engines {
  readonly current: Ajv;
  readonly draft7: Ajv;
}

interface Kept {
  readonly engine: Ajv;
  readonly schema: JsonSchema;
  readonly validate: ValidateFunction;
}

const byContent = new Map<string, Kept>();
const byIdentity = new WeakMap<JsonSchema, Kept>();
let engines: Promise<Engines> | undefined;

/** Checks a value against JSON Schema; the problem, if there is one. */
export async function findProblem(schema: JsonSchema, value: unknown): Promise<string | undefined> {
  const { validate } = byIdentity.get(schema) ?? (await compiled(schema));
  if (validate(value)) return undefined;
  // Read at once: the next call of the same validator overwrites it.
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return problemOf(errors);
}

/** Checks a value against a schema, JSON Schema first; a Standard Schema may also change it. */
export async function checkValue(schema: Schema, value: unknown): Promise<Verdict> {
  const problem = await findProblem(schema.json, value);
  if (problem !== undefined) return { problem };
  if (schema.standard === undefined) return { value };
  const result = await schema.standard["~standard"].validate(value);
  return result.issues === undefined ? { value: result.value } : { problem: problemOfIssues(result.issues) };
}

async function compiled(schema: JsonSchema): Promise<Kept> {
  const content = canonical(schema);
  const kept = byContent.get(content) ?? (await compile(schema));
  byContent.delete(content);
  byContent.set(content, kept);
  byIdentity.set(schema, kept);
  if (byContent.size > KEPT) forgetOldest();
  return kept;
}

async function compile(schema: JsonSchema): Promise<Kept> {
  engines ??= load();
  const { current, draft7 } = await engines;
  const dialect = schema["$schema"];
  const engine = typeof dialect === "string" && dialect.includes("draft-07") ? draft7 : current;
  try {
    return { engine, schema, validate: engine.compile(schema) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDefinition(`A schema cannot be used: ${reason}`, { cause: error });
  }
}

function forgetOldest(): void {
  for (const [content, { engine, schema }] of byContent) {
    byContent.delete(content);
    engine.removeSchema(schema);
    return;
  }
}

async function load(): Promise<Engines> {
  const [draft7, current, formats] = await Promise.all([
    import("ajv"),
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
  ]);
  // `strict` off: unknown keywords (`x-…`, `enumNames`) are annotations. `allErrors`: a person is told everything at once.
  const options = { allErrors: true, strict: false, verbose: true, addUsedSchema: false } as const;
  const made = { current: new current.Ajv2020(options), draft7: new draft7.Ajv(options) };
  for (const engine of [made.current, made.draft7]) formats.default.default(engine);
  return made;
}
