/** `tool()`: parses the definition of a tool. */
import { omitUndefined } from "../util/json.ts";
import { InvalidDefinition } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";
import {
  assertSchemas,
  assertName,
  nameInError,
  parseRunnable,
  type Runnable,
  type RunnableDefinition,
} from "./definition.ts";
import {
  type JsonSchema,
  parseSchema,
  type Schema,
  type SchemaLike,
  type ValueOf,
} from "../schema/schema.ts";

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

export interface ToolDefinition<Given extends SchemaLike, Result> extends RunnableDefinition<
  InputOf<Given>,
  Result
> {
  readonly input?: Given;
  readonly output?: SchemaLike;
  readonly annotations?: Annotations;
  readonly whenUnsupported?: WhenUnsupported;
}

/**
 * What happens to a question that the client cannot show and that has no `fallback.unsupported`: it fails, the user gets a
 * link to a page, or the model gets it as text, asks the person, and passes on the answer.
 */
export type WhenUnsupported = "fail" | "page" | "relay";

/** A parsed tool, ready to be run or served. */
export interface Tool<Input = unknown, Result = unknown> extends Runnable<Input, Result> {
  readonly kind: "tool";
  readonly input: Schema;
  readonly output?: Schema;
  readonly annotations?: Annotations;
  readonly whenUnsupported?: WhenUnsupported;
}

const WHEN_UNSUPPORTED: ReadonlySet<unknown> = new Set<WhenUnsupported>(["fail", "page", "relay"]);
const NO_INPUT: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

export function tool<const Given extends SchemaLike = JsonSchema, Result = unknown>(
  definition: ToolDefinition<Given, Result>,
): Tool<InputOf<Given>, Result> {
  const { name, annotations, whenUnsupported } = definition;
  if (name !== undefined) assertName("tool", name);
  const runnable = parseRunnable("tool", definition, ["input", "output", "annotations", "whenUnsupported"]);
  const whose = nameInError("tool", definition);
  if (whenUnsupported !== undefined && !WHEN_UNSUPPORTED.has(whenUnsupported)) {
    throw new InvalidDefinition(
      `The whenUnsupported of ${whose} must be "fail", "page" or "relay", not ${describeValue(whenUnsupported)}.`,
    );
  }
  const input = parseSchema(definition.input ?? NO_INPUT, "input", `The input of ${whose}`);
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
