/** The one place where a question of any kind is made: from a constructor, or from raw data. */
import { ImpossibleAsk } from "../errors.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { answerable, type Answerable } from "./answerable.ts";
import { readChoices } from "./choices.ts";
import { readFormSchema } from "./form-schema.ts";
import type { Ask, AskKind } from "./kinds.ts";
import { refuseImpossible } from "./refuse-impossible.ts";

const COMMON = ["id", "label", "description", "timeout", "retries", "fallback"];

/** What each kind may say beyond that. */
const FIELDS: Readonly<Record<AskKind, readonly string[]>> = {
  text: ["default", "minLength", "maxLength", "pattern", "format"],
  number: ["default", "min", "max", "integer"],
  confirm: ["default", "dangerous"],
  select: ["default", "options"],
  multiselect: ["default", "options", "min", "max"],
  date: ["default", "time", "min", "max"],
  secret: ["minLength", "maxLength"],
  file: ["accept", "maxBytes"],
  form: ["default", "schema"],
  url: ["url"],
};

/** What an author may go on changing after it was given. */
const COPIED = new Set(["default", "fallback", "accept"]);

/** Every kind of question, by the name it has in `ask`. */
export const askKinds: readonly AskKind[] = Object.keys(FIELDS) as AskKind[];

/** Makes a question, or refuses it in the author's words. */
export function makeAsk<Made extends Ask, Answer>(
  kind: Made["ask"],
  message: string,
  given: object,
): Answerable<Made, Answer> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!COMMON.includes(name) && !FIELDS[kind].includes(name)) {
      const legal = [...FIELDS[kind], ...COMMON].join(", ");
      throw new ImpossibleAsk(message, `ask.${kind} has no ${JSON.stringify(name)}; it has ${legal}`);
    }
    fields[name] = COPIED.has(name) ? frozenCopy(value) : value;
  }
  if (kind === "select" || kind === "multiselect")
    fields["options"] = readChoices(fields["options"], message);
  if (kind === "form") fields["schema"] = readFormSchema(fields["schema"], message);
  // Every field is known by name, and `refuseImpossible` looks at their values.
  const ask = { emit: "ask", ask: kind, message, ...fields } as Made;
  refuseImpossible(ask);
  return answerable(ask);
}
