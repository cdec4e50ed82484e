import type { Content } from "./content.ts";
import { defined } from "./defined.ts";
import type { Body } from "./effects.ts";
import { InvalidDefinition } from "./errors.ts";
import { isPlainObject } from "./json.ts";
import { show } from "./show.ts";
import { runnable, type Context, type Runnable } from "./tool.ts";

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
export interface PromptDefinition<Arguments extends { readonly [name: string]: PromptArgument }> {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: Arguments;
  readonly run: (input: ArgumentsOf<Arguments>, context: Context) => Body<PromptResult>;
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
  const { title, description, arguments: args } = definition;
  for (const [name, argument] of Object.entries(args ?? {})) {
    if (!isPlainObject(argument))
      throw new InvalidDefinition(`The argument ${name} is ${show(argument)}; describe it in an object.`);
    if (argument.complete !== undefined && typeof argument.complete !== "function")
      throw new InvalidDefinition(
        `The argument ${name} is completed by a function, not by ${show(argument.complete)}.`,
      );
  }
  return Object.freeze({
    kind: "prompt",
    ...defined({ title, description }),
    ...runnable("prompt", definition),
    arguments: args ?? {},
  });
}
