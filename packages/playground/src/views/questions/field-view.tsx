import type { JSX } from "preact";
import { LongText } from "../parts/long-text.tsx";
import { Told } from "../parts/told.tsx";
import type { Draft } from "./draft.ts";
import { ManyChoices, OneChoice, Stars } from "./choice-controls.tsx";
import { type ControlProps, DateControl, JsonControl, NumberControl, TextControl } from "./controls.tsx";
import { type Field, isGroup } from "./field-kinds.ts";

/** A field with its label, what it is for, and what is wrong with what was typed. */
export function FieldView({
  field,
  draft,
  problem,
  isOnly,
  onDraft,
}: {
  readonly field: Field;
  readonly draft: Draft;
  readonly problem: string | undefined;
  /** The question's message says what is wanted: the label is for those who do not see. */
  readonly isOnly: boolean;
  readonly onDraft: (draft: Draft) => void;
}): JSX.Element {
  const id = `answer-${field.name}`;
  const describedBy = `${id}-description ${id}-problem`;
  const label = (
    <>
      <Told text={field.label} most={300} />
      {!field.required && <span class="optional"> (optional)</span>}
    </>
  );
  const rest = (
    <>
      {field.description !== undefined && (
        <div class="description" id={`${id}-description`}>
          <LongText text={field.description} first={1000} />
        </div>
      )}
      <Control
        field={field}
        id={id}
        draft={draft}
        describedBy={describedBy}
        invalid={problem !== undefined}
        onDraft={onDraft}
      />
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </>
  );
  const style = `field${problem === undefined ? "" : " has-problem"}`;
  if (isGroup(field))
    return (
      <fieldset class={`bare ${style}`} aria-describedby={describedBy}>
        <legend class={isOnly ? "unseen" : ""}>{label}</legend>
        {rest}
      </fieldset>
    );
  return (
    <div class={style}>
      <label for={id} class={isOnly ? "unseen" : ""}>
        {label}
      </label>
      {rest}
    </div>
  );
}

function Control(props: ControlProps<Field>): JSX.Element {
  const { field } = props;
  switch (field.kind) {
    case "text":
      return <TextControl {...props} field={field} />;
    case "number":
      return <NumberControl {...props} field={field} />;
    case "date":
      return <DateControl {...props} field={field} />;
    case "rating":
      return <Stars {...props} field={field} />;
    case "yes-no":
      return <OneChoice {...props} choices={YES_NO} canClear={!field.required} />;
    case "choice":
      return <OneChoice {...props} choices={field.choices} canClear={!field.required} />;
    case "choices":
      return <ManyChoices {...props} field={field} />;
    case "json":
      return <JsonControl {...props} />;
    default:
      return field satisfies never;
  }
}

const YES_NO = [
  { value: "yes", title: "Yes" },
  { value: "no", title: "No" },
];
