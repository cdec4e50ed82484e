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

/** Who is spoken of where something is wrong. */
export interface Naming {
  /** Whose schema it is, where that cannot be used: "The input of the tool book". */
  readonly whose?: string;
  /** What begins a sentence about the whole value; nothing where the sentence goes on somebody else's. */
  readonly subject?: string;
}

interface Kept {
  readonly validate: ValidateFunction;
  /** The texts it is found by: the canonical one, and those that came. */
  readonly names: Set<string>;
  readonly forget: () => void;
}

const byName = new Map<string, Kept>();
const byIdentity = new WeakMap<JsonSchema, Kept>();
/** In the order they were last used. */
const used = new Set<Kept>();
const compiling = new Map<string, Promise<Kept>>();
let engines: Promise<{ readonly current: Ajv; readonly draft7: Ajv }> | undefined;

/** Loads ajv ahead of the first check. */
export async function loadValidator(): Promise<void> {
  engines ??= load();
  await engines;
}

/** Checks a value against JSON Schema; the problem, if there is one. */
export async function findProblem(
  schema: JsonSchema,
  value: unknown,
  { whose = "A schema", subject = "" }: Naming = {},
): Promise<string | undefined> {
  const { validate } = known(schema) ?? (await compiled(schema, whose));
  if (validate(value)) return undefined;
  // Read at once: the next call of the same validator overwrites it.
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return problemOf(errors, subject);
}

/** Checks a value against a schema, JSON Schema first; a Standard Schema may also change it. */
export async function checkValue(schema: Schema, value: unknown, naming: Naming = {}): Promise<Verdict> {
  const problem = await findProblem(schema.json, value, naming);
  if (problem !== undefined) return { problem };
  if (schema.standard === undefined) return { value };
  const result = await schema.standard["~standard"].validate(value);
  return result.issues === undefined
    ? { value: result.value }
    : { problem: problemOfIssues(result.issues, naming.subject ?? "") };
}

/** The validator of a schema that was seen before. */
function known(schema: JsonSchema): Kept | undefined {
  // The text is quick to make, and the same for schemas that were made alike.
  const kept = byIdentity.get(schema) ?? byName.get(JSON.stringify(schema));
  if (kept !== undefined) keep(kept);
  return kept;
}

async function compiled(schema: JsonSchema, whose: string): Promise<Kept> {
  const content = canonical(schema);
  const waiting = byName.get(content) ?? compiling.get(content) ?? compile(schema, whose);
  if (waiting instanceof Promise) compiling.set(content, waiting);
  try {
    const kept = await waiting;
    for (const name of [content, JSON.stringify(schema)]) {
      kept.names.add(name);
      byName.set(name, kept);
    }
    byIdentity.set(schema, kept);
    keep(kept);
    return kept;
  } finally {
    compiling.delete(content);
  }
}

/** Marks a validator as the one last used, and lets go of the one longest unused where there are too many. */
function keep(kept: Kept): void {
  used.delete(kept);
  used.add(kept);
  const [oldest] = used;
  if (used.size <= KEPT || oldest === undefined) return;
  used.delete(oldest);
  for (const name of oldest.names) byName.delete(name);
  oldest.forget();
}

async function compile(schema: JsonSchema, whose: string): Promise<Kept> {
  engines ??= load();
  const { current, draft7 } = await engines;
  const { $schema: dialect, ...rest } = schema;
  const isDraft7 =
    typeof dialect === "string" && /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(dialect);
  const engine = isDraft7 ? draft7 : current;
  const compilable = isDraft7 ? rest : schema;
  try {
    return {
      validate: engine.compile(compilable),
      names: new Set(),
      forget: () => engine.removeSchema(compilable),
    };
  } catch (error) {
    // ajv keeps what it could not compile, and would not look at it a second time.
    engine.removeSchema(compilable);
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDefinition(`${whose} cannot be used: ${reason}`, { cause: error });
  }
}

async function load(): Promise<{ readonly current: Ajv; readonly draft7: Ajv }> {
  const [draft7, current, formats] = await Promise.all([
    import("ajv"),
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
  ]);
  const options = {
    // A person is told everything at once, in sentences made from the schema.
    allErrors: true,
    verbose: true,
    // Unknown keywords (`x-…`, `enumNames`) are annotations, and nothing is printed about them.
    strict: false,
    logger: false,
    // NaN is no number, and what every object inherits is no property of a value.
    strictNumbers: true,
    ownProperties: true,
    addUsedSchema: false,
  } as const;
  const made = { current: new current.Ajv2020(options), draft7: new draft7.Ajv(options) };
  for (const engine of [made.current, made.draft7]) formats.default.default(engine);
  return made;
}
