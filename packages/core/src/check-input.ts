import { InvalidInput } from "./errors.ts";
import { isPlainObject, ownCopy, setOwn } from "./util/json.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { checkValue } from "./schema/validator.ts";
import { show } from "./util/describe-value.ts";
import { nameOf } from "./runnable.ts";
import type { Tool } from "./tool.ts";

/** Lets an input through to a tool, or throws what is wrong with it, naming the field. */
export async function checkInput<Input>(tool: Tool<Input>, given: unknown): Promise<Input> {
  const name = nameOf(tool);
  if (!isPlainObject(given)) throw new InvalidInput(name, `it is an object, not ${show(given)}`);
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
      setOwn(filled, name, ownCopy(property["default"]));
  }
  return filled;
}
