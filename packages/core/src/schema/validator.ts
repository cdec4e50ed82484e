/**
 * Checks values against JSON Schema, with ajv.
 *
 *   1. ajv is loaded with the first check, not with core.
 *   2. A schema is compiled once, by content: two equal schemas share a validator.
 *   3. At most KEPT validators are kept; the one longest unused goes first. ajv itself lets go of nothing, so the
 *      engines are made anew after four times as many.
 */
import { InvalidDefinition } from "../errors.ts";
import { canonicalJson } from "../util/json.ts";
import { mapMaybeAsync } from "../util/platform.ts";
import type { JsonSchema, Schema } from "./json-schema.ts";
import type { Compile, Validator } from "./validator-engine.ts";

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

/** A promise while it is being compiled. */
interface Used {
  kept: Validator | Promise<Validator>;
  /** The use of any validator that was the last of this one. */
  last: number;
}

/** By canonical text. */
const validators = new Map<string, Used>();
let uses = 0;
/** The canonical text of a schema that was seen and does not change, and of the text that one was made of. */
const byIdentity = new WeakMap<JsonSchema, string>();
const byText = new Map<string, string>();
/** How many schemas the engines have compiled: ajv lets go of none of them. */
let compiled = 0;
let engine: Promise<Compile> | undefined;

const load = async (): Promise<Compile> => (await import("./validator-engine.ts")).loadEngines();

/** Loads ajv ahead of the first check. */
export async function loadValidator(): Promise<void> {
  engine ??= load();
  await engine;
}

/** Checks a value against JSON Schema; the problem, if there is one. At once, but for a schema that is not compiled yet. */
export function findProblem(
  schema: JsonSchema,
  value: unknown,
  { whose = "A schema", subject = "" }: Naming = {},
): string | undefined | Promise<string | undefined> {
  return mapMaybeAsync(validatorFor(schema, whose), (validator) => validator.findProblem(value, subject));
}

/** Checks a value against a schema, JSON Schema first; a Standard Schema may also change it. */
export async function checkValue(schema: Schema, value: unknown, naming: Naming = {}): Promise<Verdict> {
  const found = findProblem(schema.json, value, naming);
  const problem = found instanceof Promise ? await found : found;
  if (problem !== undefined) return { problem };
  if (schema.standard === undefined) return { value };
  const result = await schema.standard["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value };
  const { problemOfIssues } = await import("./error-messages.ts");
  return { problem: problemOfIssues(result.issues, naming.subject ?? "") };
}

function validatorFor(schema: JsonSchema, whose: string): Validator | Promise<Validator> {
  const content = contentOf(schema);
  const used = validators.get(content) ?? keep(content, compile(schema, content, whose));
  uses += 1;
  used.last = uses;
  return used.kept;
}

function keep(content: string, kept: Promise<Validator>): Used {
  if (validators.size >= KEPT) forgetOldest();
  const used = { kept, last: uses };
  validators.set(content, used);
  return used;
}

/** What a schema is known by. The canonical text takes a while to make; schemas that were made alike have the same text. */
function contentOf(schema: JsonSchema): string {
  const known = byIdentity.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const content = byText.get(text) ?? canonicalOf(schema, text);
  // The others were made for one question, and are gone with it.
  if (Object.isFrozen(schema)) byIdentity.set(schema, content);
  return content;
}

function canonicalOf(schema: JsonSchema, text: string): string {
  const content = canonicalJson(schema);
  if (byText.size > KEPT) byText.clear();
  byText.set(text, content);
  return content;
}

/** Looks at all of them: that is rare beside their use, and cheap beside compiling another. */
function forgetOldest(): void {
  let oldest: [string, Used] | undefined;
  for (const one of validators) if (oldest === undefined || one[1].last < oldest[1].last) oldest = one;
  if (oldest === undefined) return;
  const [content, { kept }] = oldest;
  validators.delete(content);
  if (!(kept instanceof Promise)) kept.forget();
}

async function compile(schema: JsonSchema, content: string, whose: string): Promise<Validator> {
  const fresh = freshEngines();
  const number = compiled;
  const compileSchema = await fresh;
  try {
    const kept = compileSchema(schema, number);
    const used = validators.get(content);
    if (used !== undefined) used.kept = kept;
    return kept;
  } catch (error) {
    // What cannot be compiled is not kept: it is looked at again the next time.
    validators.delete(content);
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDefinition(`${whose} cannot be used: ${reason}`, { cause: error });
  }
}

/** The engines, renewed from time to time with all they have compiled. */
async function freshEngines(): Promise<Compile> {
  compiled += 1;
  if (compiled % (4 * KEPT) === 0) {
    validators.clear();
    engine = undefined;
  }
  engine ??= load();
  return engine;
}
