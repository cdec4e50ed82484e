/** The answer in a form that a browser sent, or its problems by field. Core checks it. */
import { checkAnswer, type Choice, type FormAsk, type Question } from "@photon/core";
import type { OpenAsk } from "../protocol/elicitation.ts";
import { asSentence } from "../protocol/elicitation-form.ts";
import type { Field } from "./fields.ts";
import type { Upload } from "./form-body.ts";
import { toIsoDateTime } from "./time-zones.ts";

/** Problems by field; by `undefined`, for the answer as a whole. */
export type Problems = ReadonlyMap<Field | undefined, string>;

type Checked = { readonly value: unknown } | { readonly problems: Problems };

/** `isLocal`: the browser is on this machine. */
export async function readFormAnswer(
  question: OpenAsk,
  fields: readonly Field[],
  { form, file }: Upload,
  isLocal: boolean,
): Promise<Checked> {
  if (question.ask === "form")
    return checkForm(question, new Map(fields.map((field) => [field, readField(field, form, isLocal)])));
  const [field] = fields;
  let value: unknown = field && readField(field, form, isLocal);
  if (question.ask === "confirm") value = { yes: true, no: false }[form.get("do") ?? ""];
  if (question.ask === "file") value = file;
  const problem = await problemWith(question, value);
  return problem === undefined ? { value } : { problems: new Map([[field, asSentence(problem)]]) };
}

async function checkForm(question: FormAsk, values: ReadonlyMap<Field, unknown>): Promise<Checked> {
  const filled = [...values].filter(([, value]) => value !== undefined);
  const answer = Object.fromEntries(filled.map(([{ name }, value]) => [name, value]));
  const problem = await problemWith(question, answer);
  if (problem === undefined) return { value: answer };
  const problems = new Map<Field, string>();
  for (const [field, value] of values) {
    const own = await problemOfField(field, value);
    if (own !== undefined) problems.set(field, asSentence(own));
  }
  // Where each field fits by itself, the problem comes from the author's Standard Schema.
  return { problems: problems.size > 0 ? problems : assignToFields(problem, [...values.keys()]) };
}

async function problemOfField({ schema, isRequired }: Field, value: unknown): Promise<string | undefined> {
  if (value === undefined) return isRequired ? "needs a value" : undefined;
  // A form with this field only, whose name is then removed from the problem.
  const form = { type: "object", properties: { it: schema }, required: ["it"] } as const;
  const problem = await problemWith({ emit: "ask", ask: "form", message: "", schema: form }, { it: value });
  return problem?.replaceAll(/(^|; )it /g, "$1");
}

async function problemWith(question: Question, value: unknown): Promise<string | undefined> {
  const checked = await checkAnswer(question, value);
  return "problem" in checked ? checked.problem : undefined;
}

/** Assigns the parts of a problem to fields by their names: "nights: Too many; …". */
function assignToFields(problem: string, fields: readonly Field[]): Problems {
  const problems = new Map<Field | undefined, string>();
  for (const part of problem.split("; ")) {
    const field = fields.find(({ name }) => part.startsWith(`${name}: `));
    const sentence = asSentence(field === undefined ? part : part.slice(field.name.length + 2));
    problems.set(field, [problems.get(field), sentence].filter(Boolean).join(" "));
  }
  return problems;
}

/**
 * The value of a field in the form that a browser sent; `undefined` if it was left empty, and for a file. Text that is not of the
 * field's type is returned unchanged, for the check of the answer to refuse.
 */
function readField(field: Field, form: URLSearchParams, isLocal: boolean): unknown {
  const { input, control } = field;
  const text = form.get(input) ?? "";
  switch (control.kind) {
    case "text":
    case "secret":
      return text || undefined;
    case "textarea":
      // Browsers send line breaks as two characters.
      return text.replaceAll("\r\n", "\n") || undefined;
    case "number":
    case "rating":
      return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text)
        ? Number(text)
        : text.trim() || undefined;
    case "date":
      return text.trim() || undefined;
    case "date-time":
      return text.trim() === "" ? undefined : toIsoDateTime(text, form.get(`${input}-zone`) ?? "", isLocal);
    case "yes-no":
      return text === "yes" || text === "no" ? text === "yes" : text || undefined;
    case "choice":
      return text === "" ? undefined : choiceAt(control.choices, text);
    case "choices": {
      const numbers = form.getAll(input);
      // Without a tick the answer is an empty list; in an optional field with a minimum, the field is empty.
      const isLeft = numbers.length === 0 && !field.isRequired && Number(field.schema["minItems"]) > 0;
      return isLeft ? undefined : numbers.map((number) => choiceAt(control.choices, number));
    }
    case "file":
      return undefined;
    default:
      return control satisfies never;
  }
}

function choiceAt(choices: readonly Choice[], number: string): string {
  return (/^\d+$/.test(number) ? choices[Number(number)]?.value : undefined) ?? number;
}
