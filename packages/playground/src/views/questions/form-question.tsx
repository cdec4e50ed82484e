/**
 * A question that is answered by filling something in.
 *
 * Enter in a field accepts only what the person has changed: a question that has just arrived is not accepted, with what it
 * suggests, by a key that was meant for something else. The button accepts it as it is.
 */
import type { JSX, TargetedKeyboardEvent, TargetedSubmitEvent } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { JsonSchema } from "../../desk/offer.ts";
import type { Question } from "../../desk/question.ts";
import { noteSubmitted } from "../parts/field-in-use.ts";
import { useStage } from "../stage.ts";
import { AnswerButtons } from "./answer-buttons.tsx";
import type { Drafts } from "./draft.ts";
import type { Field } from "./field-kinds.ts";
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
  const [isHeldBack, setHeldBack] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [unread, setUnread] = useState<ReadonlySet<string>>(new Set());
  const { problems } = readDrafts(fields, drafts, unread);
  const change = (changed: Drafts): void => {
    kept.set(question.id, changed);
    setDrafts(changed);
    setUnread(unreadIn(form.current, fields));
    setHeldBack(false);
  };
  const holdBack = (event: TargetedKeyboardEvent<HTMLFormElement>): void => {
    const isTouched = Object.keys(drafts).length > 0 || unreadIn(event.currentTarget, fields).size > 0;
    if (event.key !== "Enter" || isTouched) return;
    // Buttons are pressed by it, and lines are ended; in these it submits.
    if (!(event.target instanceof Element && event.target.matches("input, select"))) return;
    event.preventDefault();
    setHeldBack(true);
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setChecked(true);
    // A browser may tell nothing of what it cannot read while that is typed.
    const typed = unreadIn(event.currentTarget, fields);
    setUnread(typed);
    const { content, problems: wrong } = readDrafts(fields, drafts, typed);
    const [first] = Object.keys(wrong);
    if (first !== undefined) return boxOf(event.currentTarget, first)?.focus();
    noteSubmitted();
    desk.answer(question, { action: "accept", content });
  };
  return (
    <form class="question-form" ref={form} onSubmit={submit} onKeyDown={holdBack} noValidate>
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
      <p class="note" role="status">
        {isHeldBack && "Nothing is changed yet. The button Accept accepts it as it is."}
      </p>
      <AnswerButtons question={question}>
        <button type="submit" class="primary">
          Accept
        </button>
      </AnswerButtons>
    </form>
  );
}

const boxOf = (form: HTMLFormElement, name: string): HTMLElement | null =>
  form.querySelector<HTMLElement>(`#${CSS.escape(`answer-${name}`)}`) ??
  form.querySelector<HTMLElement>(`[name="${CSS.escape(`answer-${name}`)}"]`);

/** The fields whose boxes hold something that the browser cannot read. */
function unreadIn(form: HTMLFormElement | null, fields: readonly Field[]): ReadonlySet<string> {
  const isUnread = (box: HTMLElement | null): boolean =>
    box instanceof HTMLInputElement && box.validity.badInput;
  return new Set(
    fields.map(({ name }) => name).filter((name) => form !== null && isUnread(boxOf(form, name))),
  );
}
