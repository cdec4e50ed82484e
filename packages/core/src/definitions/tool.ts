/** `tool()` parses the definition of a tool; `parseInput` the input of its calls. */
import { deepCopy, isPlainObject, omitUndefined, setOwn } from "../util/json.ts";
import { InvalidDefinition, InvalidInput } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";
import {
  assertSchemas,
  assertName,
  definitionName,
  nameInError,
  parseRunnable,
  type Runnable,
  type RunnableDefinition,
} from "./runnable.ts";
import {
  type AcceptedBy,
  type JsonSchema,
  parseSchema,
  type Schema,
  type SchemaLike,
  type ValueOf,
} from "../schema/schema.ts";
import { checkValue } from "../schema/validator.ts";

/** Hints for clients about what a tool does. They are not guarantees. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The input of a body, inferred from the input schema. */
export type InputOf<Given> = unknown extends ValueOf<Given> ? Record<string, unknown> : ValueOf<Given>;

/** The input of a call, before defaults are filled in: what the input schema accepts. */
export type GivenInputOf<Given> =
  unknown extends AcceptedBy<Given> ? Record<string, unknown> : AcceptedBy<Given>;

/** What a body may return: a value that the output schema accepts, or a result as MCP spells it. */
export type OutputOf<Given> =
  unknown extends AcceptedBy<Given>
    ? unknown
    : Widened<AcceptedBy<Given>> | ResultEnvelope<Widened<AcceptedBy<Given>>>;

/**
 * Read-only, with `string` for "a" and an array for a tuple: of what a body returns, the compiler infers no more. Enums are checked when
 * the body has returned.
 */
type Widened<Value> = unknown extends Value
  ? unknown
  : Value extends string
    ? string
    : Value extends number
      ? number
      : Value extends boolean
        ? boolean
        : Value extends readonly (infer Item)[]
          ? readonly Widened<Item>[]
          : { readonly [Key in keyof Value]: Widened<Value[Key]> };

/** Structured content may be absent from an error. */
type ResultEnvelope<Structured> =
  | {
      readonly content: readonly unknown[];
      readonly structuredContent: Structured;
      readonly isError?: boolean;
    }
  | { readonly content: readonly unknown[]; readonly isError: boolean };

/** What an author writes about a tool. */
export interface ToolDefinition<
  Given extends SchemaLike,
  Result,
  Output extends SchemaLike = SchemaLike,
> extends RunnableDefinition<InputOf<Given>, Result> {
  readonly input?: Given;
  readonly output?: Output;
  readonly annotations?: Annotations;
  readonly whenUnsupported?: WhenUnsupported;
}

/**
 * What happens to a question that the client cannot show and that has no `fallback.unsupported`: it fails, the user gets a
 * link to a page, or the model gets it as text, asks the person, and passes on the answer.
 */
export type WhenUnsupported = "fail" | "page" | "relay";

/** A parsed tool, ready to be run or served. `Given`: the input of a call, before defaults are filled in. */
export interface Tool<Input = unknown, Result = unknown, Given = unknown> extends Runnable<Input, Result> {
  readonly kind: "tool";
  readonly input: Schema<Given>;
  readonly output?: Schema;
  readonly annotations?: Annotations;
  readonly whenUnsupported?: WhenUnsupported;
}

const WHEN_UNSUPPORTED: ReadonlySet<unknown> = new Set<WhenUnsupported>(["fail", "page", "relay"]);
const NO_INPUT: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** Defines a tool: checks the definition, and throws `InvalidDefinition` where it is wrong. */
export function tool<
  const Given extends SchemaLike = JsonSchema,
  const Output extends SchemaLike = JsonSchema,
  Result extends OutputOf<Output> = OutputOf<Output>,
>(definition: ToolDefinition<Given, Result, Output>): Tool<InputOf<Given>, Result, GivenInputOf<Given>> {
  const { name, annotations, whenUnsupported } = definition;
  if (name !== undefined) assertName("tool", name);
  const runnable = parseRunnable("tool", definition, ["input", "output", "annotations", "whenUnsupported"]);
  const whose = nameInError("tool", definition);
  if (whenUnsupported !== undefined && !WHEN_UNSUPPORTED.has(whenUnsupported)) {
    throw new InvalidDefinition(
      `The whenUnsupported of ${whose} must be "fail", "page" or "relay", not ${describeValue(whenUnsupported)}.`,
    );
  }
  // The type of the values that it accepts is inferred from the author's schema.
  const input = parseSchema(definition.input ?? NO_INPUT, "input", `The input of ${whose}`) as Schema<
    GivenInputOf<Given>
  >;
  if (input.json.type !== "object")
    throw new InvalidDefinition(
      `The input of ${whose} must be the schema of an object, with type: "object".`,
    );
  const output =
    definition.output === undefined
      ? undefined
      : parseSchema(definition.output, "output", `The output of ${whose}`);
  // A tool without a name is checked when it gets the name of its export, so that errors name it.
  if (name !== undefined) assertSchemas({ input, output }, name);
  return Object.freeze({
    kind: "tool",
    ...omitUndefined({ name, annotations, output, whenUnsupported }),
    ...runnable,
    input,
  });
}

/** Parses the input of a tool. Throws `InvalidInput`, which names the field. */
export async function parseInput<Input>(definition: Tool<Input>, given: unknown): Promise<Input> {
  const name = definitionName(definition);
  if (!isPlainObject(given))
    throw new InvalidInput(name, `it must be an object, not ${describeValue(given)}`);
  const { input } = definition;
  const filled = input.standard === undefined ? fillDefaults(input.json, given) : given;
  const verdict = await checkValue(input, filled, `The input of ${nameInError("tool", definition)}`);
  if ("problem" in verdict) throw new InvalidInput(name, verdict.problem);
  // The value is valid by the author's schema, from which the type is inferred.
  return verdict.value as Input;
}

/** A copy with the defaults of optional properties that are missing, also of nested ones. */
function fillDefaults(schema: JsonSchema, given: unknown): unknown {
  const { items, properties } = schema;
  if (Array.isArray(given))
    return isPlainObject(items) ? given.map((item) => fillDefaults(items, item)) : given;
  if (!isPlainObject(given) || properties === undefined) return given;
  const filled: Record<string, unknown> = { ...given };
  for (const name of Object.keys(properties)) {
    const property = properties[name] ?? {};
    if (Object.hasOwn(given, name)) {
      if (typeof given[name] === "object") setOwn(filled, name, fillDefaults(property, given[name]));
    } else if (property["default"] !== undefined && schema.required?.includes(name) !== true)
      setOwn(filled, name, deepCopy(property["default"]));
  }
  return filled;
}
