import type { JSX } from "preact";
import type { Question } from "../../desk/question.ts";
import { ConfirmQuestion } from "./confirm-question.tsx";
import { FormQuestion } from "./form-question.tsx";
import { PageQuestion } from "./page-question.tsx";
import { readFields } from "./read-fields.ts";
import { SampleQuestion } from "./sample-question.tsx";
import { UrlQuestion } from "./url-question.tsx";
import type { Field } from "./field-kinds.ts";

/** What a question is answered in, by what it wants. */
export function QuestionBody({ question }: { readonly question: Question }): JSX.Element {
  const { wanted } = question;
  switch (wanted.by) {
    case "form": {
      const only = confirmIn(question);
      if (only === undefined) return <FormQuestion question={question} schema={wanted.schema} />;
      return <ConfirmQuestion question={question} name={only.name} description={only.description} />;
    }
    case "url":
      return <UrlQuestion question={question} url={wanted.url} />;
    case "page":
      return <PageQuestion question={question} />;
    case "sample":
      return <SampleQuestion question={question} params={wanted.params} />;
    default:
      return wanted satisfies never;
  }
}

export const isConfirm = (question: Question): boolean => confirmIn(question) !== undefined;

/** The one field of a question of yes or no. A form with only such a field is one as well, unless it says it is a form. */
function confirmIn({ wanted, details }: Question): Field | undefined {
  if (wanted.by !== "form" || details.ask === "form") return undefined;
  const [field, ...others] = readFields(wanted.schema, details);
  return others.length === 0 && field?.kind === "yes-no" && field.required ? field : undefined;
}
