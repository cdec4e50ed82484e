/** A question that is answered by filling something in. */
import type { JSX, TargetedSubmitEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { JsonSchema } from "../../desk/offer.ts";
import type { Question } from "../../desk/question.ts";
import { useStage } from "../stage.ts";
import { AnswerButtons } from "./answer-buttons.tsx";
import type { Drafts } from "./draft.ts";
import { FieldView } from "./field-view.tsx";
import { draftOf, readDrafts } from "./read-drafts.ts";
import { readFields } from "./read-fields.ts";

export function FormQuestion({
  question,
  schema,
}: {
  readonly question: Question;
  readonly schema: JsonSchema;
}): JSX.Element {
  const { desk, drafts: kept } = useStage();
  const fields = useMemo(() => readFields(schema, question.details), [question.id]);
  const [drafts, setDrafts] = useState<Drafts>(() => kept.get(question.id) ?? {});
  const [isChecked, setChecked] = useState(false);
  const { content, problems } = readDrafts(fields, drafts);
  const change = (changed: Drafts): void => {
    kept.set(question.id, changed);
    setDrafts(changed);
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setChecked(true);
    const [first] = Object.keys(problems);
    if (first === undefined) desk.answer(question, { action: "accept", content });
    else focusField(event.currentTarget, first);
  };
  return (
    <form class="question-form" onSubmit={submit} noValidate>
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          draft={draftOf(field, drafts)}
          problem={isChecked && Object.hasOwn(problems, field.name) ? problems[field.name] : undefined}
          isOnly={fields.length === 1 && (field.label === question.message || field.label === field.name)}
          onDraft={(draft) => change({ ...drafts, [field.name]: draft })}
        />
      ))}
      <AnswerButtons question={question}>
        <button type="submit" class="primary">
          Accept
        </button>
      </AnswerButtons>
    </form>
  );
}

function focusField(form: HTMLFormElement, name: string): void {
  const box =
    form.querySelector<HTMLElement>(`#${CSS.escape(`answer-${name}`)}`) ??
    form.querySelector<HTMLElement>(`[name="${CSS.escape(`answer-${name}`)}"]`);
  box?.focus();
}
