/** The answer that a form carries, if it is a fitting one. */
import { type Field, readField } from "./fields.ts";
import type { OpenAsk } from "./types.ts";
import { checkAnswer, type FormAsk, type Question } from "@photon/core";

export function readAnswer(
  question: OpenAsk,
  fields: readonly Field[],
  form: URLSearchParams,
  { file, isHere }: { readonly file: unknown; readonly isHere: boolean },
): Promise<Checked> {
  const [only] = fields;
  if (question.ask === "form")
    return checkForm(question, new Map(fields.map((field) => [field, readField(field, form, isHere)])));
  if (question.ask === "confirm") return checkOne(question, only, saidIn(form));
  if (question.ask === "file") return checkOne(question, only, file);
  return checkOne(question, only, only === undefined ? undefined : readField(only, form, isHere));
}

function saidIn(form: URLSearchParams): boolean | undefined {
  const said = form.get("do");
  return said === "yes" ? true : said === "no" ? false : undefined;
}

/** Whether what was filled in fits, by core's own check of answers; and if not, what is wrong with which field. */

/** What is wrong, by field; of none, where it is about the answer as a whole. */
export type Problems = ReadonlyMap<Field | undefined, string>;

type Checked = { readonly value: unknown } | { readonly problems: Problems };

/** Checks the answer to a question of one value, which one field may be there for. */
async function checkOne(question: OpenAsk, field: Field | undefined, value: unknown): Promise<Checked> {
  const problem = await problemWith(question, value);
  return problem === undefined ? { value } : { problems: new Map([[field, sentence(problem)]]) };
}

async function checkForm(question: FormAsk, values: ReadonlyMap<Field, unknown>): Promise<Checked> {
  const given = [...values].filter(([, value]) => value !== undefined);
  const value = Object.fromEntries(given.map(([{ name }, filled]) => [name, filled]));
  const problem = await problemWith(question, value);
  if (problem === undefined) return { value };
  const problems = await problemsOf(values);
  // Each field fits by itself: it is the author's own schema that has something to say.
  return { problems: problems.size > 0 ? problems : assignToFields(problem, [...values.keys()]) };
}

/** The name that a field is checked by, so that it can be left out of what is said. */
const FIELD_PLACEHOLDER = "it";

async function problemsOf(values: ReadonlyMap<Field, unknown>): Promise<Problems> {
  const problems = new Map<Field, string>();
  for (const [field, value] of values) {
    const problem = await problemOf(field, value);
    if (problem !== undefined) problems.set(field, sentence(problem));
  }
  return problems;
}

async function problemOf({ schema, isRequired }: Field, value: unknown): Promise<string | undefined> {
  if (value === undefined) return isRequired ? "needs a value" : undefined;
  const alone = {
    type: "object" as const,
    properties: { [FIELD_PLACEHOLDER]: schema },
    required: [FIELD_PLACEHOLDER],
  };
  const question = { emit: "ask" as const, ask: "form" as const, message: FIELD_PLACEHOLDER, schema: alone };
  const problem = await problemWith(question, { [FIELD_PLACEHOLDER]: value });
  return problem?.replaceAll(/(^|; )it /g, "$1");
}

async function problemWith(question: Question, value: unknown): Promise<string | undefined> {
  const verdict = await checkAnswer(question, value);
  return "problem" in verdict ? verdict.problem : undefined;
}

/** Gives each field what is said of it: "nights: Too many; it is not right: …". */
function assignToFields(problem: string, fields: readonly Field[]): Problems {
  const problems = new Map<Field | undefined, string>();
  for (const part of problem.split("; ")) {
    const field = fields.find(({ name }) => part.startsWith(`${name}: `));
    const said = sentence(field === undefined ? part : part.slice(field.name.length + 2));
    problems.set(field, [problems.get(field), said].filter(Boolean).join(" "));
  }
  return problems;
}

function sentence(problem: string): string {
  const begun = problem.charAt(0).toUpperCase() + problem.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
