import type { Content } from "../content.ts";
import { omitUndefined, isPlainObject } from "../util/json.ts";
import { InvalidDefinition, InvalidInput } from "../errors.ts";
import { describeValue } from "../util/describe-value.ts";
import { checkName, parseRunnable, type Runnable, type RunnableDefinition } from "./definition.ts";

/** Suggests values for an argument while a person types; told what the other arguments are. */
export type Complete = (
  typed: string,
  others: { readonly [argument: string]: string },
) => readonly string[] | Promise<readonly string[]>;

export interface PromptArgument {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: Complete;
}

/** What a prompt gives: messages; a text or a block of content stands for one message of the user. */
export type PromptResult = string | Content | PromptMessage | readonly PromptMessage[];

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** The arguments of a prompt as its body gets them. */
export type ArgumentsOf<Arguments> = {
  readonly [Name in keyof Arguments]: Arguments[Name] extends { readonly required: true }
    ? string
    : string | undefined;
};

/** What an author writes to make a prompt. */
export interface PromptDefinition<
  Arguments extends { readonly [name: string]: PromptArgument },
> extends RunnableDefinition<ArgumentsOf<Arguments>, PromptResult> {
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: Arguments;
}

/** A prompt, ready to be run or served. */
export interface Prompt<Input = unknown> extends Runnable<Input, PromptResult> {
  readonly kind: "prompt";
  readonly title?: string;
  readonly description?: string;
  readonly arguments: { readonly [name: string]: PromptArgument };
}

/** Makes a prompt of an async generator. Its body may ask as well. */
export function prompt<const Arguments extends { readonly [name: string]: PromptArgument }>(
  definition: PromptDefinition<Arguments>,
): Prompt<ArgumentsOf<Arguments>> {
  const { name, title, description, arguments: args } = definition;
  if (name !== undefined) checkName("prompt", name);
  const runnable = parseRunnable("prompt", definition, ["title", "description", "arguments"]);
  for (const [argument, about] of Object.entries(args ?? {})) {
    if (!isPlainObject(about)) {
      throw new InvalidDefinition(
        `The argument ${argument} is ${describeValue(about)}; describe it in an object.`,
      );
    }
    if (about.complete !== undefined && typeof about.complete !== "function") {
      throw new InvalidDefinition(
        `The argument ${argument} is completed by a function, not by ${describeValue(about.complete)}.`,
      );
    }
  }
  return Object.freeze({
    kind: "prompt",
    ...omitUndefined({ name, title, description }),
    ...runnable,
    arguments: args ?? {},
  });
}

/** Lets the arguments of a prompt through, or throws what is wrong with them. They are texts. */
export function checkArguments<Input>(definition: Prompt<Input>, given: unknown): Input {
  const name = definition.name ?? "the prompt";
  if (!isPlainObject(given))
    throw new InvalidInput(name, `its arguments are an object, not ${describeValue(given)}`);
  for (const [argument, { required }] of Object.entries(definition.arguments)) {
    const value = Object.hasOwn(given, argument) ? given[argument] : undefined;
    if (value === undefined && required === true) throw new InvalidInput(name, `${argument} is required`);
    if (value !== undefined && typeof value !== "string")
      throw new InvalidInput(name, `${argument} must be text`);
  }
  // Looked at one by one; the prompt's own type says the same.
  return given as Input;
}
