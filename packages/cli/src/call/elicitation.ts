/** What a server asks by elicitation, as a question of ours, and the answer back. Pure. */
import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { extraKeywords, fieldAsk, type Ask, type FormSchema, type JsonSchema } from "@photon/core";
import { isRecord } from "../terminal/is-record.ts";
import type { QuestionDetails } from "./question-details.ts";

/** The field that a question of one value is asked in. */
const VALUE = "value";

/** What may stand in a field of a form. Of anything else the server says, it makes sure itself. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "type title description default enum enumNames oneOf anyOf items minLength maxLength minimum maximum minItems maxItems".split(
    " ",
  ),
);
const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** A question of a server; `hint` is what was wrong with the last answer. */
export type RemoteAsk = Ask & { readonly hint?: string };

export function questionOf(params: ElicitRequestParams, details?: QuestionDetails): RemoteAsk {
  const { isDangerous = false, hint } = details ?? {};
  const question = asked(params, details);
  return {
    ...question,
    ...(isDangerous && question.ask === "confirm" ? { dangerous: true } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

function asked(params: ElicitRequestParams, details?: QuestionDetails): Ask {
  const { message } = params;
  if (params.mode === "url") return { emit: "ask", ask: "url", message, url: params.url };
  const schema = formIn(params.requestedSchema, details?.bounds);
  const value = schema.properties[VALUE];
  const isOnly = Object.keys(schema.properties).length === 1;
  if (value === undefined || !isOnly || !isAnswered(value, schema))
    return { emit: "ask", ask: "form", message, schema };
  const { title, ...field } = value;
  // The label says something more only where it is not the question itself.
  const label = typeof title === "string" && title !== message ? title : undefined;
  const about = details === undefined ? field["description"] : details.description;
  const description = [label, about].filter(Boolean).join(": ");
  return { ...fieldAsk(VALUE, field), message, ...(description === "" ? {} : { description }) };
}

/** Whether a field always has an answer: it is required, or a list of choices of which none may be chosen. */
const isAnswered = (field: JsonSchema, { required = [] }: FormSchema): boolean =>
  required.includes(VALUE) || (field.type === "array" && !(Number(field["minItems"]) > 0));

function formIn(
  schema: { readonly properties: object; readonly required?: readonly string[] | undefined },
  bounds: QuestionDetails["bounds"] = {},
): FormSchema {
  const fields = Object.entries(schema.properties).map(([name, field]) => [
    name,
    { ...fieldIn(field), ...(Object.hasOwn(bounds, name) ? boundsIn(bounds[name]) : {}) },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(fields) as FormSchema["properties"],
    ...(schema.required === undefined ? {} : { required: schema.required }),
  };
}

function fieldIn(field: unknown): JsonSchema {
  if (!isRecord(field)) return {};
  const known = Object.entries(field).filter(
    ([keyword, value]) => KEYWORDS.has(keyword) || (keyword === "format" && FORMATS.has(value)),
  );
  return Object.fromEntries(known);
}

/** The keywords that a Photon server sends in `bounds`. Others, and values that are not valid, are ignored. */
function boundsIn(bounds: unknown): JsonSchema {
  if (!isRecord(bounds)) return {};
  return Object.fromEntries(
    Object.entries(bounds).filter(
      ([keyword, value]) => Object.hasOwn(extraKeywords, keyword) && extraKeywords[keyword]?.(value) === true,
    ),
  );
}

/** What the server is told of an answer that was checked. */
export function resultOf(question: Ask, value: unknown): ElicitResult {
  if (question.ask === "url") return { action: "accept" };
  if (question.ask !== "form") return { action: "accept", content: contentOf({ [VALUE]: value }) };
  const fields = isRecord(value) ? value : {};
  const known = Object.keys(question.schema.properties).filter((name) => fields[name] !== undefined);
  return {
    action: "accept",
    content: contentOf(Object.fromEntries(known.map((name) => [name, fields[name]]))),
  };
}

/** The form's own schema has let them through: texts, numbers, yes and no, and lists of texts. */
const contentOf = (fields: object): NonNullable<ElicitResult["content"]> => ({ ...fields });
