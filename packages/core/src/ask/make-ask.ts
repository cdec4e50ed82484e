/** The one place where a question of any kind is made: from a constructor, or from raw data. */
import { ImpossibleAsk } from "../errors.ts";
import { frozenCopy } from "../util/json.ts";
import { answerable, type Answerable } from "./answerable.ts";
import { readChoices } from "./choices.ts";
import { readFormSchema } from "./form-schema.ts";
import type { Answers, Ask, AskKind, AskOptions } from "../ask-types.ts";
import { refuseImpossible } from "./refuse-impossible.ts";

/** What every question may say. */
const COMMON: { readonly [Option in Exclude<keyof AskOptions<unknown>, "default">]: true } = {
  id: true,
  label: true,
  description: true,
  timeout: true,
  retries: true,
  fallback: true,
};

/** What a kind may say beyond that. */
type OwnField<Kind extends AskKind> = Exclude<
  keyof Extract<Ask, { ask: Kind }>,
  "emit" | "ask" | "message" | keyof typeof COMMON
>;

const FIELDS: { readonly [Kind in AskKind]: { readonly [Field in OwnField<Kind>]: true } } = {
  text: {
    default: true,
    minLength: true,
    maxLength: true,
    pattern: true,
    patternMessage: true,
    format: true,
  },
  number: { default: true, min: true, max: true, integer: true },
  confirm: { default: true, dangerous: true },
  select: { default: true, options: true },
  multiselect: { default: true, options: true, min: true, max: true },
  date: { default: true, time: true, min: true, max: true },
  secret: { minLength: true, maxLength: true },
  file: { accept: true, maxBytes: true },
  form: { default: true, schema: true },
  url: { url: true },
};

/** What an author may go on changing after it was given. */
const COPIED = new Set(["default", "fallback", "accept"]);

/** Every kind of question, by the name it has in `ask`. */
// The keys are those of the record above, which has one for each kind.
export const askKinds: readonly AskKind[] = Object.keys(FIELDS) as AskKind[];

/** Makes a question, or refuses it in the author's words. */
export function makeAsk<Kind extends AskKind>(
  kind: Kind,
  message: string,
  given: object,
): Answerable<Extract<Ask, { ask: Kind }>, Answers[Kind]> {
  const fields: Record<string, unknown> = { emit: "ask", ask: kind, message };
  const own: object = FIELDS[kind];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(own, name) && !Object.hasOwn(COMMON, name)) {
      const names = Object.keys({ ...own, ...COMMON }).join(", ");
      throw new ImpossibleAsk(message, `ask.${kind} has no ${JSON.stringify(name)}; it has ${names}`);
    }
    fields[name] = COPIED.has(name) ? frozenCopy(value) : value;
  }
  if (kind === "select" || kind === "multiselect")
    fields["options"] = readChoices(fields["options"], message);
  if (kind === "form") fields["schema"] = readFormSchema(fields["schema"], message);
  // Every field is known by name, and `refuseImpossible` looks at their values.
  const built = fields as unknown as Extract<Ask, { ask: Kind }>;
  refuseImpossible(built);
  return answerable(built);
}
