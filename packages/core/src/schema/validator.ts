/**
 * Checks values against JSON Schema, with ajv, and caches compiled validators.
 *
 *   1. ajv is loaded with the first check, not with core.
 *   2. A schema is compiled once, by content: two equal schemas share a validator.
 *   3. At most MAX_VALIDATORS are cached; the least recently used is evicted first. ajv itself never frees a compiled schema
 *      completely, so the engines are replaced after four times as many.
 */
import { InvalidDefinition } from "../errors.ts";
import { canonicalJson } from "../util/json.ts";
import { mapMaybeAsync } from "../util/platform.ts";
import type { JsonSchema, Schema } from "./json-schema.ts";
import type { Compile, Validator } from "./validator-engine.ts";

const MAX_VALIDATORS = 1000;
/** A valid value, or the problem: a predicate such as "must be at most 30". */
export type Verdict<T = unknown> = { readonly value: T } | { readonly problem: string };

/** How errors name the schema and the value. */
export interface SchemaNames {
  /** The subject of an error about the schema: "The input of the tool book". */
  readonly whose?: string;
  /** The subject of a problem of the whole value. Without it, the problem is a predicate for the caller's sentence. */
  readonly subject?: string;
}

/** By canonical text, the least recently used first; promises while they are compiled. */
const validators = new Map<string, Validator | Promise<Validator>>();
/** Canonical texts of frozen schemas, and of schemas by their plain JSON. */
const canonicalBySchema = new WeakMap<JsonSchema, string>();
const canonicalByText = new Map<string, string>();
let compiledCount = 0;
let engine: Promise<Compile> | undefined;

const loadEngine = async (): Promise<Compile> => (await import("./validator-engine.ts")).loadEngines();

/** Loads ajv ahead of the first check. */
export async function loadValidator(): Promise<void> {
  engine ??= loadEngine();
  await engine;
}

/** Checks a value against JSON Schema. Synchronous, except for a schema that is not compiled yet, and for slow checks. */
export function findProblem(
  schema: JsonSchema,
  value: unknown,
  { whose = "A schema", subject = "" }: SchemaNames = {},
): string | undefined | Promise<string | undefined> {
  return mapMaybeAsync(validatorFor(schema, whose), (validator) => validator.findProblem(value, subject));
}

/** Checks a value against JSON Schema, then against the Standard Schema, which may also change it. */
export async function checkValue(schema: Schema, value: unknown, naming: SchemaNames = {}): Promise<Verdict> {
  const found = findProblem(schema.json, value, naming);
  const problem = found instanceof Promise ? await found : found;
  if (problem !== undefined) return { problem };
  if (schema.standard === undefined) return { value };
  const result = await schema.standard["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value };
  const { formatIssues: problemOfIssues } = await import("./error-messages.ts");
  return { problem: problemOfIssues(result.issues, naming.subject ?? "") };
}

function validatorFor(schema: JsonSchema, whose: string): Validator | Promise<Validator> {
  const content = canonicalText(schema);
  const known = validators.get(content);
  if (known === undefined && validators.size >= MAX_VALIDATORS) evictLeastRecent();
  const validator = known ?? compile(schema, content, whose);
  validators.delete(content);
  validators.set(content, validator);
  return validator;
}

/** The key of a schema in the cache. Computing it takes long, so it is cached by object and by plain JSON. */
function canonicalText(schema: JsonSchema): string {
  const known = canonicalBySchema.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const content = canonicalByText.get(text) ?? cacheCanonicalText(schema, text);
  // A schema that is not frozen was created for one question.
  if (Object.isFrozen(schema)) canonicalBySchema.set(schema, content);
  return content;
}

function cacheCanonicalText(schema: JsonSchema, text: string): string {
  const content = canonicalJson(schema);
  if (canonicalByText.size > MAX_VALIDATORS) canonicalByText.clear();
  canonicalByText.set(text, content);
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
  const loading = currentEngine();
  const number = compiledCount;
  const compileSchema = await loading;
  try {
    const validator = compileSchema(schema, number);
    if (validators.has(content)) validators.set(content, validator);
    return validator;
  } catch (error) {
    validators.delete(content);
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDefinition(`${whose} is not a valid JSON Schema: ${reason}`, { cause: error });
  }
}

/** The engines, replaced from time to time to free the schemas that they have compiled. */
async function currentEngine(): Promise<Compile> {
  compiledCount += 1;
  if (compiledCount % (4 * MAX_VALIDATORS) === 0) {
    validators.clear();
    engine = undefined;
  }
  engine ??= loadEngine();
  return engine;
}
