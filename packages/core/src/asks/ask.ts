/** The asks of all kinds: their types, descriptors and constructors, derived from the list of kinds. */
import { type AskKindDescriptor, makeAsk, type Options } from "./ask-kind.ts";
import { form } from "./form.ts";
import type { TypesOf } from "./form-schema.ts";
import * as kinds from "./kinds.ts";
import type { Yieldable } from "./yieldable.ts";

type Kinds = typeof kinds & { readonly form: typeof form };

/** A question to a person. */
export type Ask = TypesOf<Kinds[keyof Kinds]>["ask"];

/** The name of a kind of question. */
export type AskKind = Ask["ask"];

/** The answer to each kind. */
export type Answers = { readonly [Kind in AskKind]: TypesOf<Kinds[Kind]>["answer"] };

const descriptors: { readonly [Kind in AskKind]: AskKindDescriptor<Extract<Ask, { ask: Kind }>> } = {
  ...kinds,
  form,
};

/** The names of all kinds, sorted. */
export const askKinds: readonly AskKind[] = (Object.keys(descriptors) as AskKind[]).toSorted();

export const descriptorOf = ({ ask }: Pick<Ask, "ask">): AskKindDescriptor<Ask> => descriptors[ask];

/** Phrases that say which answers fit: "a whole number", "1 to 30". Empty for any text, and for forms. */
export function expectedAnswer(ask: Ask): readonly string[] {
  const phrases = descriptorOf(ask).expectedAnswer?.(ask) ?? [];
  return phrases.filter((phrase) => phrase !== undefined);
}

/** The constructor of a kind: its own, or one that takes a message and options. */
type ConstructorOf<Kind> = Kind extends { readonly create: infer Create }
  ? Create
  : Kind extends AskKindDescriptor<infer A, infer Answer>
    ? (message: string, options?: Options<A>) => Yieldable<A, Answer>
    : never;

export type AskConstructors = { readonly [Kind in AskKind]: ConstructorOf<Kinds[Kind]> };

function constructorOf(kind: AskKindDescriptor<Ask>): unknown {
  if ("create" in kind) return kind.create;
  return (message: string, options: object = {}) => makeAsk(kind, message, options);
}

// The types of the constructors are those that the descriptors declare.
export const askConstructors: AskConstructors = Object.fromEntries(
  askKinds.map((kind) => [kind, constructorOf(descriptors[kind])]),
) as unknown as AskConstructors;
