/**
 * The common part of tools, prompts and resources: a body and its limits.
 *
 * An invalid definition throws where it is written, and the error names what the author wrote.
 */
import type { Capability, Client } from "../client.ts";
import { omitUndefined } from "../util/json.ts";
import { type Duration, milliseconds } from "../util/time.ts";
import type { Body } from "../effects.ts";
import { InvalidDefinition } from "../errors.ts";
import type { Signal } from "../util/platform.ts";
import { assertSchema } from "../schema/check-schema.ts";
import type { Schema } from "../schema/schema.ts";
import { describeValue } from "../util/describe-value.ts";

/** W3C Trace Context of the caller. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** The second argument of a body. */
export interface Context {
  /** Aborted when the run is closed. */
  readonly signal: Signal;
  readonly client: Client;
  readonly runId: string;
  /** For requests that the body sends, if the caller has a trace. */
  readonly trace?: Trace;
}

/** The options that tools, prompts and resources have in common. */
export interface RunnableDefinition<Input, Result> {
  /** Default: the name of its export. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** Change it when open runs must not continue with the new code. */
  readonly version?: string;
  /** Promises that all side effects are in steps, so that the body may be replayed. */
  readonly durable?: boolean;
  /** How long the body may work; the time that questions are open does not count. */
  readonly limit?: Duration;
  /** Capabilities of the client that it needs; checked before the body starts. */
  readonly needs?: readonly Capability[];
  readonly run: (input: Input, context: Context) => Body<Result>;
}

/** A parsed definition of a tool, prompt or resource. */
export interface Runnable<Input, Result> extends Omit<RunnableDefinition<Input, Result>, "limit"> {
  /** How long the body may work, in milliseconds. */
  readonly limit?: number;
}

const COMMON = ["title", "description", "name", "version", "durable", "limit", "needs", "run"];
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const CAPABILITIES: ReadonlySet<unknown> = new Set<Capability>(["form", "url", "sample", "roots"]);

/** Parses the common options. `own` are the names of the other options. */
export function parseRunnable<Input, Result>(
  what: string,
  definition: RunnableDefinition<Input, Result>,
  own: readonly string[],
): Omit<Runnable<Input, Result>, "name"> {
  const { title, description, version, durable, limit, needs, run } = definition;
  const whose = nameInError(what, definition);
  const known = [...own, ...COMMON];
  const unknown = Object.keys(definition).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new InvalidDefinition(
      `${whose.charAt(0).toUpperCase()}${whose.slice(1)} has no option ${JSON.stringify(unknown)}; use ${known.join(", ")}.`,
    );
  }
  if (typeof run !== "function") {
    throw new InvalidDefinition(
      `The run of ${whose} must be an async generator function, not ${describeValue(run)}.`,
    );
  }
  if (version !== undefined && typeof version !== "string") {
    throw new InvalidDefinition(`The version of ${whose} must be a string, not ${describeValue(version)}.`);
  }
  if (durable !== undefined && typeof durable !== "boolean") {
    throw new InvalidDefinition(
      `The durable of ${whose} must be true or false, not ${describeValue(durable)}.`,
    );
  }
  const limitMs = limit === undefined ? undefined : milliseconds(limit, `The limit of ${whose}`);
  const parsed = { title, description, version, durable, limit: limitMs, needs: parseNeeds(needs, whose) };
  return { ...omitUndefined(parsed), run };
}

/** A definition with a name: its own, or that of its export. */
export function withName<Definition extends Runnable<never, unknown> & Schemas & { readonly kind: string }>(
  definition: Definition,
  name: string,
): Definition {
  if (definition.name !== undefined) return definition;
  assertName(definition.kind, name);
  assertSchemas(definition, name);
  return Object.freeze({ ...definition, name });
}

/** Only tools have schemas. */
interface Schemas {
  readonly input?: Schema | undefined;
  readonly output?: Schema | undefined;
}

export function assertSchemas({ input, output }: Schemas, name: string): void {
  if (input !== undefined) assertSchema(input, `The input of the tool ${name}`);
  if (output !== undefined) assertSchema(output, `The output of the tool ${name}`);
}

/** Whether MCP clients accept a name. */
export const isName = (name: unknown): boolean => typeof name === "string" && NAME.test(name);

export function assertName(what: string, name: unknown): void {
  if (isName(name)) return;
  throw new InvalidDefinition(
    `A ${what} cannot be called ${describeValue(name)}: use 1 to 128 letters, digits, "_", "-" and "." (no spaces).`,
  );
}

/** For errors about the definition: "a tool", "the tool book". */
export const nameInError = (what: string, { name }: { readonly name?: string }): string =>
  name === undefined ? `a ${what}` : `the ${what} ${name}`;

/** For errors, within a sentence. */
export const definitionName = ({ name }: { readonly name?: string }): string => name ?? "the tool";

/** For errors, at the beginning of a sentence. */
export const subjectOf = ({ name }: { readonly name?: string }): string => name ?? "The tool";

function parseNeeds(needs: unknown, whose: string): readonly Capability[] | undefined {
  if (needs === undefined) return undefined;
  if (!Array.isArray(needs))
    throw new InvalidDefinition(`The needs of ${whose} must be a list, not ${describeValue(needs)}.`);
  const wanted: readonly unknown[] = needs;
  for (const need of wanted) {
    if (CAPABILITIES.has(need)) continue;
    throw new InvalidDefinition(
      `The needs of ${whose} must be form, url, sample or roots, not ${describeValue(need)}.`,
    );
  }
  // Every one was checked.
  return Object.freeze([...wanted]) as readonly Capability[];
}
