/** The answer that a form carries, if it is a fitting one. */
import { checkOne, checkForm, type Checked } from "./check-values.ts";
import type { Field } from "./fields.ts";
import type { OpenAsk } from "./page.ts";
import { readField } from "./read-fields.ts";

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
