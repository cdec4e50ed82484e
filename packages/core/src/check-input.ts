import { InvalidInput } from "./errors.ts";
import { ownCopy } from "./frozen-copy.ts";
import { isPlainObject } from "./json.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { checkValue } from "./schema/validate.ts";
import { show } from "./show.ts";
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

/** Fills in the defaults of optional properties that were left out, also in what is nested. */
function withDefaults(schema: JsonSchema, given: unknown): unknown {
  const { items, properties } = schema;
  if (Array.isArray(given))
    return isPlainObject(items) ? given.map((item) => withDefaults(items, item)) : given;
  if (!isPlainObject(given) || properties === undefined) return given;
  const filled = Object.entries(properties).flatMap(([name, property]) => {
    if (Object.hasOwn(given, name)) return [[name, withDefaults(property, given[name])] as const];
    const isOptional = schema.required?.includes(name) !== true;
    return isOptional && property["default"] !== undefined
      ? [[name, ownCopy(property["default"])] as const]
      : [];
  });
  return { ...given, ...Object.fromEntries(filled) };
}
