/**
 * Checks values against JSON Schema, with ajv.
 *
 *   1. ajv is loaded with the first check, not with core.
 *   2. A schema is compiled once, by content: two equal schemas share a validator.
 *   3. At most KEPT validators are kept; the one longest unused goes first. ajv itself lets go of nothing, so the
 *      engines are made anew after four times as many.
 *   4. A check has a limit of time. It is only set for values and schemas that can take long: setting it takes 0.1 ms.
 *   5. Of a value with many members only the first error is looked for: ajv would collect one for every member.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import { InvalidDefinition } from "../errors.ts";
import { canonical } from "../json.ts";
import { whenReady } from "../when-ready.ts";
import type { JsonSchema, Schema } from "./json-schema.ts";
import type { Engines } from "./engines.ts";
import type { Outcome } from "./in-time.ts";

const KEPT = 1000;
/** Values within both are checked without a limit of time, unless the schema may take long. */
const FEW_MEMBERS = 1000;
const FEW_CHARACTERS = 4000;
const TOO_LONG = "takes too long to check";

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
  /** Whether a small value may take long. */
  readonly isCostly: boolean;
  readonly engines: Engines;
  /** The same schema, in an engine that stops at the first error. Compiled with the first value that has many members. */
  readonly compileFirst: () => ValidateFunction;
  readonly forget: () => void;
}

/** A promise while it is being compiled. */
interface Used {
  kept: Kept | Promise<Kept>;
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
let engines: Promise<Engines> | undefined;

const load = async (): Promise<Engines> => (await import("./engines.ts")).loadEngines();

/** Loads ajv ahead of the first check. */
export async function loadValidator(): Promise<void> {
  engines ??= load();
  await engines;
}

/** Checks a value against JSON Schema; the problem, if there is one. At once, but for a schema that is not compiled yet. */
export function findProblem(
  schema: JsonSchema,
  value: unknown,
  { whose = "A schema", subject = "" }: Naming = {},
): string | undefined | Promise<string | undefined> {
  return whenReady(validatorFor(schema, whose), (kept) => {
    const left = { members: FEW_MEMBERS, characters: FEW_CHARACTERS };
    countOff(value, left);
    const validate = left.members < 0 ? kept.compileFirst() : kept.validate;
    if (!kept.isCostly && left.members >= 0 && left.characters >= 0)
      return problemIn(value, validate, subject, kept.engines);
    return whenReady<Outcome<string | undefined>, string | undefined>(
      kept.engines.inTime(kept, () => problemIn(value, validate, subject, kept.engines)),
      (outcome) => (outcome === undefined ? `${subject} ${TOO_LONG}`.trimStart() : outcome.found),
    );
  });
}

function problemIn(
  value: unknown,
  validate: ValidateFunction,
  subject: string,
  { problemOf }: Engines,
): string | undefined {
  if (validate(value)) return undefined;
  // Read at once: the next call of the same validator overwrites it.
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return problemOf(errors, subject);
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

/** Checks a value against a schema, JSON Schema first; a Standard Schema may also change it. */
export async function checkValue(schema: Schema, value: unknown, naming: Naming = {}): Promise<Verdict> {
  const found = findProblem(schema.json, value, naming);
  const problem = found instanceof Promise ? await found : found;
  if (problem !== undefined) return { problem };
  if (schema.standard === undefined) return { value };
  const result = await schema.standard["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value };
  const { problemOfIssues } = await import("./problem.ts");
  return { problem: problemOfIssues(result.issues, naming.subject ?? "") };
}

function validatorFor(schema: JsonSchema, whose: string): Kept | Promise<Kept> {
  const content = contentOf(schema);
  const used = validators.get(content) ?? keep(content, compile(schema, content, whose));
  uses += 1;
  used.last = uses;
  return used.kept;
}

function keep(content: string, kept: Promise<Kept>): Used {
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
  const content = canonical(schema);
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

async function compile(schema: JsonSchema, content: string, whose: string): Promise<Kept> {
  const loaded = await freshEngines();
  const { current, draft7, isCostly } = loaded;
  const { $schema: dialect, ...rest } = schema;
  const isDraft7 =
    typeof dialect === "string" && /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(dialect);
  const engine = isDraft7 ? draft7 : current;
  const { all } = engine;
  // With an id of its own, a schema can refer to itself: `$ref: "#"`.
  const compilable = { $id: `photon:schema-${compiled}`, ...(isDraft7 ? rest : schema) };
  let validateFirst: ValidateFunction | undefined;
  const forget = (): void => {
    all.removeSchema(compilable);
    if (validateFirst !== undefined) engine.first.removeSchema(compilable);
  };
  try {
    const kept = {
      validate: all.compile(compilable),
      isCostly: isCostly(schema),
      engines: loaded,
      compileFirst: () => (validateFirst ??= engine.first.compile(compilable)),
      forget,
    };
    const used = validators.get(content);
    if (used !== undefined) used.kept = kept;
    return kept;
  } catch (error) {
    // Neither we nor ajv keep what cannot be compiled: it is looked at again the next time.
    validators.delete(content);
    forget();
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDefinition(`${whose} cannot be used: ${reason}`, { cause: error });
  }
}

/** The engines, renewed from time to time with all they have compiled. */
async function freshEngines(): Promise<Engines> {
  compiled += 1;
  if (compiled % (4 * KEPT) === 0) {
    validators.clear();
    engines = undefined;
  }
  engines ??= load();
  return engines;
}
