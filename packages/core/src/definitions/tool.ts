/** Tools, as their authors write them: data with one generator function in it. */
import { omitUndefined } from "../util/json.ts";
import { InvalidDefinition } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";
import {
  assertSchemas,
  checkName,
  parseRunnable,
  type Runnable,
  type RunnableDefinition,
} from "./definition.ts";
import { type JsonSchema, readSchema, type Schema, type SchemaLike } from "../schema/json-schema.ts";
import type { ValueOf } from "../schema/standard-schema.ts";

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
export interface ToolDefinition<Given extends SchemaLike, Result> extends RunnableDefinition<
  InputOf<Given>,
  Result
> {
  readonly title?: string;
  readonly description?: string;
  readonly input?: Given;
  readonly output?: SchemaLike;
  readonly annotations?: Annotations;
  readonly whenUnsupported?: WhenUnsupported;
}

/**
 * What becomes of a question that the client cannot show, where the ask itself says nothing (`fallback.unsupported`):
 * it fails, the person is given a page to answer it on, or the model is given it in words to pass on.
 */
export type WhenUnsupported = "fail" | "page" | "relay";

/** A tool, ready to be run or served. */
export interface Tool<Input = unknown, Result = unknown> extends Runnable<Input, Result> {
  readonly kind: "tool";
  readonly title?: string;
  readonly description?: string;
  readonly input: Schema;
  readonly output?: Schema;
  readonly annotations?: Annotations;
  readonly whenUnsupported?: WhenUnsupported;
}

const WAYS: ReadonlySet<unknown> = new Set<WhenUnsupported>(["fail", "page", "relay"]);
const NO_INPUT: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** Makes a tool of an async generator. */
export function tool<const Given extends SchemaLike = JsonSchema, Result = unknown>(
  definition: ToolDefinition<Given, Result>,
): Tool<InputOf<Given>, Result> {
  const { name, title, description, annotations, whenUnsupported } = definition;
  if (name !== undefined) checkName("tool", name);
  const runnable = parseRunnable("tool", definition, [
    "title",
    "description",
    "input",
    "output",
    "annotations",
    "whenUnsupported",
  ]);
  const whose = name === undefined ? "a tool" : `the tool ${name}`;
  if (whenUnsupported !== undefined && !WAYS.has(whenUnsupported)) {
    throw new InvalidDefinition(
      `The whenUnsupported of ${whose} is "fail", "page" or "relay", not ${describeValue(whenUnsupported)}.`,
    );
  }
  const input = readSchema(definition.input ?? NO_INPUT, "input", `The input of ${whose}`);
  if (input.json.type !== "object")
    throw new InvalidDefinition(`The input of ${whose} is not the schema of an object.`);
  const output =
    definition.output === undefined
      ? undefined
      : readSchema(definition.output, "output", `The output of ${whose}`);
  // One without a name gets it from its export, and is looked at there.
  if (name !== undefined) assertSchemas({ input, output }, name);
  return Object.freeze({
    kind: "tool",
    ...omitUndefined({ name, title, description, annotations, output, whenUnsupported }),
    ...runnable,
    input,
  });
}
