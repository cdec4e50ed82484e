/** `prompt()`: parses the definition of a prompt, and its arguments. */
import type { Content } from "../content.ts";
import { getOwn, isPlainObject, omitUndefined } from "../util/json.ts";
import { InvalidDefinition, InvalidInput } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";
import { assertName, parseRunnable, type Runnable, type RunnableDefinition } from "./runnable.ts";

/** Suggests values for an argument while a person types; `others` are the values of the other arguments. */
export type Complete = (
  typed: string,
  others: { readonly [argument: string]: string },
) => readonly string[] | Promise<readonly string[]>;

/** An argument of a prompt, which is a string. */
export interface PromptArgument {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: Complete;
}

/** The messages of a prompt. A string or a content block is one message of the user. */
export type PromptResult = string | Content | PromptMessage | readonly PromptMessage[];

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** The input of a prompt's body. */
export type ArgumentsOf<Arguments> = {
  readonly [Name in keyof Arguments]: Arguments[Name] extends { readonly required: true }
    ? string
    : string | undefined;
};

/** What an author writes about a prompt. */
export interface PromptDefinition<
  Arguments extends { readonly [name: string]: PromptArgument },
> extends RunnableDefinition<ArgumentsOf<Arguments>, PromptResult> {
  readonly arguments?: Arguments;
}

/** A parsed prompt, ready to be run or served. */
export interface Prompt<Input = unknown> extends Runnable<Input, PromptResult> {
  readonly kind: "prompt";
  readonly arguments: { readonly [name: string]: PromptArgument };
}

/** Defines a prompt: checks the definition, and throws `InvalidDefinition` where it is wrong. */
export function prompt<const Arguments extends { readonly [name: string]: PromptArgument }>(
  definition: PromptDefinition<Arguments>,
): Prompt<ArgumentsOf<Arguments>> {
  const { name, arguments: args } = definition;
  if (name !== undefined) assertName("prompt", name);
  const runnable = parseRunnable("prompt", definition, ["arguments"]);
  for (const [argument, about] of Object.entries(args ?? {})) {
    if (!isPlainObject(about)) {
      throw new InvalidDefinition(
        `The argument ${argument} of a prompt must be an object, not ${describeValue(about)}.`,
      );
    }
    if (about.complete !== undefined && typeof about.complete !== "function") {
      throw new InvalidDefinition(
        `The complete of the argument ${argument} must be a function, not ${describeValue(about.complete)}.`,
      );
    }
  }
  return Object.freeze({
    kind: "prompt",
    ...omitUndefined({ name }),
    ...runnable,
    arguments: args ?? {},
  });
}

/** Parses the arguments of a prompt, which are strings. Throws `InvalidInput`, which names the argument. */
export function parseArguments<Input>(definition: Prompt<Input>, given: unknown): Input {
  const name = definition.name ?? "the prompt";
  if (!isPlainObject(given))
    throw new InvalidInput(name, `its arguments must be an object, not ${describeValue(given)}`);
  for (const [argument, { required }] of Object.entries(definition.arguments)) {
    const value = getOwn(given, argument);
    if (value === undefined && required === true) throw new InvalidInput(name, `${argument} is required`);
    if (value !== undefined && typeof value !== "string")
      throw new InvalidInput(name, `${argument} must be text`);
  }
  // Every argument was checked.
  return given as Input;
}
