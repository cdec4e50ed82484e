/**
 * Tools, prompts and resources, as their authors write them.
 *
 * A definition is data with one generator function in it. What is wrong with it
 * is refused where it is made, in its author's words.
 */
import type { Client } from "./client.ts";
import { milliseconds, type Duration } from "./duration.ts";
import { defined } from "./defined.ts";
import type { Body } from "./effects.ts";
import { InvalidDefinition, type Ability } from "./errors.ts";
import type { Signal } from "./platform.ts";
import { readSchema, type JsonSchema, type Schema, type SchemaLike } from "./schema/json-schema.ts";
import type { ValueOf } from "./schema/value-of.ts";
import { capital, show } from "./show.ts";

/** What a body is given beside its input. */
export interface Context {
  /** Aborted when the run is closed. */
  readonly signal: Signal;
  readonly client: Client;
  /** The run's id. */
  readonly run: string;
}

/** Something with a body that can be run: what tools, prompts and resources have in common. */
export interface Runnable<Input, Result> {
  readonly name?: string;
  readonly version?: string;
  readonly durable?: boolean;
  /** How long the body's own work may take, in milliseconds. */
  readonly limit?: number;
  readonly needs?: readonly Ability[];
  readonly run: (input: Input, context: Context) => Body<Result>;
}

/** Hints for clients about what a tool does. They promise nothing. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a body is given: what the input schema lets through. */
export type InputOf<Given> = unknown extends ValueOf<Given> ? Record<string, unknown> : ValueOf<Given>;

/** What an author writes to make a tool. */
export interface ToolDefinition<Given extends SchemaLike, Result> {
  /** The name of its export without one. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly input?: Given;
  readonly output?: SchemaLike;
  readonly annotations?: Annotations;
  /** Changed by the author when open runs must not go on with the new code. */
  readonly version?: string;
  /** Promises that its side effects are in steps, so that it may be replayed. */
  readonly durable?: boolean;
  /** How long the body's own work may take; the time people think does not count. */
  readonly limit?: Duration;
  /** What the client must be able to do; checked before the body starts. */
  readonly needs?: readonly Ability[];
  readonly run: (input: InputOf<Given>, context: Context) => Body<Result>;
}

/** A tool, ready to be run or served. */
export interface Tool<Input = unknown, Result = unknown> extends Runnable<Input, Result> {
  readonly kind: "tool";
  readonly title?: string;
  readonly description?: string;
  readonly input: Schema;
  readonly output?: Schema;
  readonly annotations?: Annotations;
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const ABILITIES: ReadonlySet<unknown> = new Set<Ability>(["form", "url", "sample", "roots"]);
const NO_INPUT: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** Makes a tool of an async generator. */
export function tool<Result, const Given extends SchemaLike = JsonSchema>(
  definition: ToolDefinition<Given, Result>,
): Tool<InputOf<Given>, Result> {
  const { name, title, description, annotations } = definition;
  const whose = named("tool", name);
  const input = readSchema(definition.input ?? NO_INPUT, "input", `The input of ${whose}`);
  if (input.json.type !== "object")
    throw new InvalidDefinition(`The input of ${whose} is not the schema of an object.`);
  const output =
    definition.output === undefined
      ? undefined
      : readSchema(definition.output, "output", `The output of ${whose}`);
  return Object.freeze({
    kind: "tool",
    ...defined({ title, description, annotations, output }),
    ...runnable("tool", definition),
    input,
  });
}

/** The same definition under the name of its export, unless it has one. */
export function withName<Definition extends Runnable<never, unknown> & { readonly kind: string }>(
  definition: Definition,
  name: string,
): Definition {
  if (definition.name !== undefined) return definition;
  checkName(definition.kind, name);
  return Object.freeze({ ...definition, name });
}

/** The parts of a definition that every runnable has, checked. */
export function runnable<Input, Result>(
  what: string,
  definition: Omit<Runnable<Input, Result>, "limit"> & { readonly limit?: Duration },
): Runnable<Input, Result> {
  const { name, version, durable, limit, needs, run } = definition;
  if (name !== undefined) checkName(what, name);
  const whose = named(what, name);
  if (typeof run !== "function")
    throw new InvalidDefinition(`${capital(whose)} has a generator function to run, not ${show(run)}.`);
  if (version !== undefined && typeof version !== "string") {
    throw new InvalidDefinition(`The version of ${whose} is a text, not ${show(version)}.`);
  }
  if (needs !== undefined && !Array.isArray(needs)) {
    throw new InvalidDefinition(`The needs of ${whose} are a list, not ${show(needs)}.`);
  }
  const wanted: readonly Ability[] | undefined = needs;
  const unknown = wanted?.find((need) => !ABILITIES.has(need));
  if (unknown !== undefined)
    throw new InvalidDefinition(
      `${capital(whose)} needs ${show(unknown)}; it may need form, url, sample, roots.`,
    );
  const bound = limit === undefined ? undefined : milliseconds(limit, `The limit of ${whose}`);
  return {
    ...defined({ name, version, durable, limit: bound, needs: wanted && Object.freeze([...wanted]) }),
    run,
  };
}

/** Refuses a name that MCP clients do not take. */
function checkName(what: string, name: string): void {
  if (typeof name === "string" && NAME.test(name)) return;
  throw new InvalidDefinition(
    `${show(name)} is no name for a ${what}: use 1 to 128 letters, digits, "_", "-" and "." (no spaces).`,
  );
}

const named = (what: string, name: string | undefined): string =>
  name === undefined ? `a ${what}` : `the ${what} ${name}`;
