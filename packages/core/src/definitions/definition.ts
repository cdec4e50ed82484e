/**
 * What tools, prompts and resources have in common: a body, and what bounds it.
 *
 * What is wrong with a definition is refused where it is made, in its author's words.
 */
import type { Capability, Client } from "../client.ts";
import { omitUndefined, isPlainObject, deepCopy, setOwn } from "../util/json.ts";
import { type Duration, milliseconds } from "../util/time.ts";
import type { Body } from "../effects.ts";
import { InvalidDefinition, InvalidInput } from "../errors.ts";
import type { Signal } from "../util/platform.ts";
import { assertSchema } from "../schema/check-schema.ts";
import type { JsonSchema, Schema } from "../schema/json-schema.ts";
import { capital, describeValue } from "../util/describe-value.ts";
import { checkValue } from "../schema/validator.ts";
import type { Tool } from "./tool.ts";

/** Where a call stands in a trace that its caller keeps, as W3C Trace Context spells it. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** What a body is given beside its input. */
export interface Context {
  /** Aborted when the run is closed. */
  readonly signal: Signal;
  readonly client: Client;
  readonly runId: string;
  /** For what the body calls in turn, where its caller keeps a trace. */
  readonly trace?: Trace;
}

/** Something with a body that can be run. */
export interface Runnable<Input, Result> {
  readonly name?: string;
  readonly version?: string;
  readonly durable?: boolean;
  /** How long the body's own work may take, in milliseconds. */
  readonly limit?: number;
  readonly needs?: readonly Capability[];
  readonly run: (input: Input, context: Context) => Body<Result>;
}

/** What an author may say of anything that can be run. */
export interface RunnableDefinition<Input, Result> {
  /** The name of its export without one. */
  readonly name?: string;
  /** Changed by the author when open runs must not go on with the new code. */
  readonly version?: string;
  /** Promises that its side effects are in steps, so that it may be replayed. */
  readonly durable?: boolean;
  /** How long the body's own work may take; the time people think does not count. */
  readonly limit?: Duration;
  /** What the client must be able to do; checked before the body starts. */
  readonly needs?: readonly Capability[];
  readonly run: (input: Input, context: Context) => Body<Result>;
}

const FIELDS = ["name", "version", "durable", "limit", "needs", "run"];
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const ABILITIES: ReadonlySet<unknown> = new Set<Capability>(["form", "url", "sample", "roots"]);

/** The part of a definition that everything has that can be run, checked. `own` are the other fields it may have. */
export function parseRunnable<Input, Result>(
  what: string,
  definition: RunnableDefinition<Input, Result>,
  own: readonly string[],
): Omit<Runnable<Input, Result>, "name"> {
  const { version, durable, limit, needs, run } = definition;
  const whose = definition.name === undefined ? `a ${what}` : `the ${what} ${definition.name}`;
  const known = [...own, ...FIELDS];
  const unknown = Object.keys(definition).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new InvalidDefinition(
      `${capital(whose)} has no ${JSON.stringify(unknown)}; it has ${known.join(", ")}.`,
    );
  }
  if (typeof run !== "function") {
    throw new InvalidDefinition(
      `${capital(whose)} has a generator function to run, not ${describeValue(run)}.`,
    );
  }
  if (version !== undefined && typeof version !== "string") {
    throw new InvalidDefinition(`The version of ${whose} is a text, not ${describeValue(version)}.`);
  }
  if (durable !== undefined && typeof durable !== "boolean") {
    throw new InvalidDefinition(
      `${capital(whose)} is durable: true or false, not ${describeValue(durable)}.`,
    );
  }
  const bound = limit === undefined ? undefined : milliseconds(limit, `The limit of ${whose}`);
  return { ...omitUndefined({ version, durable, limit: bound, needs: readNeeds(needs, whose) }), run };
}

/** The same definition under the name of its export, unless it has one. */
export function withName<Definition extends Runnable<never, unknown> & Schemas & { readonly kind: string }>(
  definition: Definition,
  name: string,
): Definition {
  if (definition.name !== undefined) return definition;
  checkName(definition.kind, name);
  assertSchemas(definition, name);
  return Object.freeze({ ...definition, name });
}

/** The schemas that a tool has, and prompts and resources do not. */
interface Schemas {
  readonly input?: Schema | undefined;
  readonly output?: Schema | undefined;
}

/** Refuses a tool whose schemas are not valid, by its name. */
export function assertSchemas({ input, output }: Schemas, name: string): void {
  if (input !== undefined) assertSchema(input, `The input of the tool ${name}`);
  if (output !== undefined) assertSchema(output, `The output of the tool ${name}`);
}

/** Refuses a name that MCP clients do not take. */
export function checkName(what: string, name: unknown): void {
  if (typeof name === "string" && NAME.test(name)) return;
  throw new InvalidDefinition(
    `A ${what} cannot be called ${describeValue(name)}: use 1 to 128 letters, digits, "_", "-" and "." (no spaces).`,
  );
}

/** What something that can be run is called, within a sentence. */
export const nameOf = ({ name }: { readonly name?: string }): string => name ?? "the tool";

/** What something that can be run is called where it begins a sentence. */
export const subjectOf = ({ name }: { readonly name?: string }): string => name ?? "The tool";

function readNeeds(needs: unknown, whose: string): readonly Capability[] | undefined {
  if (needs === undefined) return undefined;
  if (!Array.isArray(needs))
    throw new InvalidDefinition(`The needs of ${whose} are a list, not ${describeValue(needs)}.`);
  const wanted: readonly unknown[] = needs;
  const unknown = wanted.find((need) => !ABILITIES.has(need));
  if (unknown !== undefined) {
    throw new InvalidDefinition(
      `${capital(whose)} needs ${describeValue(unknown)}; it may need form, url, sample, roots.`,
    );
  }
  // Every one was looked at.
  return Object.freeze([...wanted]) as readonly Capability[];
}

/** Lets an input through to a tool, or throws what is wrong with it, naming the field. */
export async function checkInput<Input>(tool: Tool<Input>, given: unknown): Promise<Input> {
  const name = nameOf(tool);
  if (!isPlainObject(given)) throw new InvalidInput(name, `it is an object, not ${describeValue(given)}`);
  const { input } = tool;
  const filled = input.standard === undefined ? withDefaults(input.json, given) : given;
  const naming = {
    whose: `The input of ${tool.name === undefined ? "a tool" : `the tool ${tool.name}`}`,
    subject: "it",
  };
  const verdict = await checkValue(input, filled, naming);
  if ("problem" in verdict) throw new InvalidInput(name, verdict.problem);
  // The author's schema has let it through; its type was taken from the same schema.
  return verdict.value as Input;
}

/** A copy in which the optional properties that were left out have their defaults, also in what is nested. */
function withDefaults(schema: JsonSchema, given: unknown): unknown {
  const { items, properties } = schema;
  if (Array.isArray(given))
    return isPlainObject(items) ? given.map((item) => withDefaults(items, item)) : given;
  if (!isPlainObject(given) || properties === undefined) return given;
  const filled: Record<string, unknown> = { ...given };
  for (const name of Object.keys(properties)) {
    const property = properties[name] ?? {};
    if (Object.hasOwn(given, name)) {
      // In a text or a number there is nothing to fill in.
      if (typeof given[name] === "object") setOwn(filled, name, withDefaults(property, given[name]));
    } else if (property["default"] !== undefined && schema.required?.includes(name) !== true)
      setOwn(filled, name, deepCopy(property["default"]));
  }
  return filled;
}
