import { answerSchema } from "./ask/answer-schema.ts";
import { misfit } from "./ask/misfit.ts";
import type { Ask, FormAsk } from "./ask/kinds.ts";
import type { Question } from "./effects.ts";
import { isPlainObject } from "./json.ts";
import type { JsonSchema } from "./schema/json-schema.ts";

/**
 * The same question with the last answer as its default, as far as a default can
 * hold it: a text that is too long is kept, "many" for a number is not.
 */
export function suggest(question: Question, last: unknown): Question {
  if (question.emit !== "ask") return question;
  switch (question.ask) {
    case "secret":
    case "file":
    case "url":
      return question;
    case "form":
      return suggestFields(question, last);
    default:
      // Only the value of one property changes, to one of the type that the schema asks for.
      return isOfType(answerSchema(question), last) ? ({ ...question, default: last } as Ask) : question;
  }
}

function suggestFields(question: FormAsk, last: unknown): FormAsk {
  if (!isPlainObject(last)) return question;
  const properties = Object.fromEntries(
    Object.entries(question.schema.properties).map(([name, field]) => {
      const value = Object.hasOwn(last, name) ? last[name] : undefined;
      return [name, isOfType(field, value) ? { ...field, default: value } : field];
    }),
  );
  return { ...question, schema: { ...question.schema, properties } };
}

/** Whether a value may stand as the default of a field: of its type, and where there are choices one of them. */
function isOfType(schema: JsonSchema, value: unknown): boolean {
  const { type, enum: choices, oneOf, items } = schema;
  const bare: Record<string, unknown> = { type: type === "integer" ? "number" : type, items };
  if (choices !== undefined) bare["enum"] = choices;
  if (oneOf !== undefined) bare["oneOf"] = oneOf;
  return value !== undefined && misfit(bare, value) === undefined;
}
