import { InvalidInput } from "./errors.ts";
import { isPlainObject } from "./json.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { checkValue } from "./schema/validate.ts";
import { show } from "./show.ts";
import type { Tool } from "./tool.ts";

/** Lets an input through to a tool, or throws what is wrong with it, naming the field. */
export async function checkInput<Input>(tool: Tool<Input>, given: unknown): Promise<Input> {
  const name = tool.name ?? "the tool";
  if (!isPlainObject(given)) throw new InvalidInput(name, `it is an object, not ${show(given)}`);
  const verdict = await checkValue(tool.input, withDefaults(tool.input.json, given));
  if ("problem" in verdict) throw new InvalidInput(name, verdict.problem);
  // The author's schema has let it through; its type was taken from the same schema.
  return verdict.value as Input;
}

/** Fills in the defaults of optional properties that were left out. */
function withDefaults(schema: JsonSchema, given: { readonly [name: string]: unknown }): object {
  const missing = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) =>
      property["default"] !== undefined &&
      !Object.hasOwn(given, name) &&
      schema.required?.includes(name) !== true,
  );
  return missing.length === 0
    ? given
    : { ...given, ...Object.fromEntries(missing.map(([name, property]) => [name, property["default"]])) };
}
