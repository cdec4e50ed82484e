import { isPlainObject } from "../json.ts";
import type { Question } from "../effects.ts";
import { answerSchema } from "./answer-schema.ts";
import type { Ask, FormAsk } from "./kinds.ts";
import { isOfKind } from "./misfit.ts";

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
    case "text":
    case "number":
    case "confirm":
    case "select":
    case "multiselect":
    case "date":
      // Only the value of one property changes, to one of the type that the schema asks for.
      return isOfKind(answerSchema(question), last) ? ({ ...question, default: last } as Ask) : question;
    default:
      return question satisfies never;
  }
}

function suggestFields(question: FormAsk, last: unknown): FormAsk {
  if (!isPlainObject(last)) return question;
  const properties = Object.fromEntries(
    Object.entries(question.schema.properties).map(([name, field]) => {
      const value = Object.hasOwn(last, name) ? last[name] : undefined;
      return [name, isOfKind(field, value) ? { ...field, default: value } : field];
    }),
  );
  return { ...question, schema: { ...question.schema, properties } };
}
