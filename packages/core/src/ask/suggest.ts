import { isPlainObject } from "../util/json.ts";
import type { Question } from "../effects.ts";
import { answerSchema } from "./answer-schema.ts";
import type { Ask, FormAsk } from "../ask-types.ts";
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
  const fitting = Object.entries(question.schema.properties).flatMap(([name, field]) => {
    const value = Object.hasOwn(last, name) ? last[name] : undefined;
    return isOfKind(field, value) ? [[name, { field, value }] as const] : [];
  });
  const properties = {
    ...question.schema.properties,
    ...Object.fromEntries(fitting.map(([name, { field, value }]) => [name, { ...field, default: value }])),
  };
  const suggested = { ...question, schema: { ...question.schema, properties } };
  if (question.default === undefined) return suggested;
  // What was entered counts for more than what was suggested before it.
  const entered = Object.fromEntries(fitting.map(([name, { value }]) => [name, value]));
  return { ...suggested, default: { ...question.default, ...entered } };
}
