/** What the test kit runs: a tool with its input, or a body without a definition. */
import { type Context, isName } from "../definitions/runnable.ts";
import { tool, type Tool } from "../definitions/tool.ts";
import type { Body } from "../effects.ts";
import { InvalidDefinition } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";

/**
 * A tool, or a function that returns a body: an exported generator function, or a function that calls one or a method. A tool checks
 * its input. A function gets it as it is, like the `run` of a tool.
 */
export type ToolUnderTest<Input, Result> =
  | Tool<never, Result, Input>
  | ((input: Input, context: Context) => Body<Result>);

/** The input as the last argument. It may be left out if `{}` is a valid input. */
export type InputArgument<Input> = {} extends Input ? [input?: Input] : [input: Input];

/** A tool to run, and its input. */
interface PreparedTool<Result> {
  readonly tool: Tool<never, Result>;
  readonly input: unknown;
}

/** A function becomes a tool that passes on the input unchecked. */
export function prepareTool<Input, Result>(
  tested: ToolUnderTest<Input, Result>,
  input: unknown,
): PreparedTool<Result> {
  if (typeof tested === "function") {
    // The caller's types say that the input fits.
    const run = (_: unknown, context: Context): Body<Result> => tested(input as Input, context);
    return { tool: tool({ ...(isName(tested.name) ? { name: tested.name } : {}), run }), input: {} };
  }
  // Tests may be JavaScript.
  const given: unknown = tested;
  if (typeof given === "object" && given !== null && "kind" in given && given.kind === "tool")
    return { tool: tested, input };
  throw new InvalidDefinition(
    `The test kit runs a tool, or a function that returns an async generator, not ${describeValue(given)}.`,
  );
}
