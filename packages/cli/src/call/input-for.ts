import type { Tool } from "@modelcontextprotocol/client";
import { parseInput, InvalidDefinition, InvalidInput, tool as toolOf } from "@photon/core";
import { callFlags } from "../commands/call-flags.ts";
import { gatherInput } from "../tool-input/gather-input.ts";
import { UsageError } from "../errors.ts";
import type { Calling } from "./calling.ts";
import { inputSchemaOf } from "./remote-tool.ts";

/** The input of a tool: by flags, by `--input`, by the person. Nothing where the person left. */
export async function inputFor(tool: Tool, { options, stage }: Calling): Promise<object | undefined> {
  const schema = inputSchemaOf(tool);
  const whole = await gatherInput({ name: tool.name, schema, ownFlags: callFlags }, options, stage);
  if (whole === undefined) return undefined;
  try {
    await parseInput(toolOf({ name: tool.name, input: schema, async *run() {} }), whole);
  } catch (error) {
    if (error instanceof InvalidInput)
      throw new UsageError(`${error.message} The same with --help shows its input.`, { cause: error });
    // A schema that cannot be used here is for the server to check.
    if (!(error instanceof InvalidDefinition)) throw error;
  }
  // As it was given: what is missing, and has a default, is the server's to fill in.
  return whole;
}
