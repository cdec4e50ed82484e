/** Choices: a few stand side by side, some are a list to open, many are searched. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { clip } from "../parts/clip.ts";
import type { ControlProps } from "./controls.tsx";
import type { Choice, Field, FieldOf } from "./field-kinds.ts";

const FEW = 7;
const MANY = 15;
/** So many of those found are shown; nobody reads more of them. */
const MOST = 200;

export function OneChoice(
  props: ControlProps<Field> & { readonly choices: readonly Choice[]; readonly canClear: boolean },
): JSX.Element {
  const { id, draft, choices, canClear, describedBy, invalid, onDraft } = props;
  const radio = (choice: Choice): JSX.Element => (
    <ChoiceRow key={choice.value} choice={choice}>
      <input
        type="radio"
        name={id}
        value={choice.value}
        checked={draft === choice.value}
        onChange={() => onDraft(choice.value)}
      />
    </ChoiceRow>
  );
  const neither = canClear ? [{ value: "", title: "No answer" }] : [];
  if (choices.length > MANY)
    return <Searched {...props}>{(found) => [...found, ...neither].map(radio)}</Searched>;
  if (choices.length > FEW && !choices.some(({ description }) => description !== undefined))
    return (
      <select
        id={id}
        aria-label={props.field.label}
        value={String(draft)}
        aria-describedby={describedBy}
        aria-invalid={invalid}
        onChange={({ currentTarget }) => onDraft(currentTarget.value)}
      >
        <option value="">{canClear ? "No answer" : "Choose…"}</option>
        {choices.map(({ value, title }) => (
          <option key={value} value={value}>
            {clip(title)}
          </option>
        ))}
      </select>
    );
  return <div class="choices">{[...choices, ...neither].map(radio)}</div>;
}

/** Radio buttons drawn as stars. CSS fills those up to the chosen one. */
export function Stars({ id, field, draft, onDraft }: ControlProps<FieldOf<"rating">>): JSX.Element {
  const star = (value: string, label: string): JSX.Element => (
    <label key={value} class={value === "" ? "choice" : "star"} title={label}>
      <input
        type="radio"
        name={id}
        value={value}
        checked={draft === value}
        aria-label={label}
        onChange={() => onDraft(value)}
      />
      {value === "" && <span>{label}</span>}
    </label>
  );
  const values = Array.from({ length: field.max }, (_, index) => String(index + 1));
  return (
    <div class="stars">
      {values.map((value) => star(value, `${value} of ${field.max}`))}
      {!field.required && star("", "No answer")}
    </div>
  );
}

export function ManyChoices(props: ControlProps<FieldOf<"choices">>): JSX.Element {
  const { id, field, draft, onDraft } = props;
  const chosen: readonly string[] = typeof draft === "string" ? [] : draft;
  const tick = (choice: Choice): JSX.Element => (
    <ChoiceRow key={choice.value} choice={choice}>
      <input
        type="checkbox"
        name={id}
        value={choice.value}
        checked={chosen.includes(choice.value)}
        onChange={({ currentTarget }) =>
          onDraft([
            ...chosen.filter((one) => one !== choice.value),
            ...(currentTarget.checked ? [choice.value] : []),
          ])
        }
      />
    </ChoiceRow>
  );
  return (
    <>
      {field.choices.length > MANY ? (
        <Searched {...props} choices={field.choices}>
          {(found) => found.map(tick)}
        </Searched>
      ) : (
        <div class="choices">{field.choices.map(tick)}</div>
      )}
      <p class="counts" role="status">
        {chosen.length} chosen{boundsOf(field)}
      </p>
    </>
  );
}

function boundsOf({ min, max }: FieldOf<"choices">): string {
  if (min !== undefined && max !== undefined)
    return min === max ? `; choose ${min}` : `; choose ${min} to ${max}`;
  if (min !== undefined && min > 0) return `; choose at least ${min}`;
  return max === undefined ? "" : `; choose at most ${max}`;
}

function ChoiceRow({
  choice,
  children,
}: {
  readonly choice: Choice;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <label class="choice">
      {children}
      <span>
        {clip(choice.title)}
        {choice.description !== undefined && (
          <span class="choice-description">{clip(choice.description, 500)}</span>
        )}
      </span>
    </label>
  );
}

function Searched({
  id,
  choices,
  field,
  draft,
  describedBy,
  children,
}: {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly field: Field;
  readonly draft: ControlProps<Field>["draft"];
  readonly describedBy: string;
  readonly children: (found: readonly Choice[]) => ComponentChildren;
}): JSX.Element {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase();
  const has = ({ value, title, description = "" }: Choice): boolean =>
    `${value} ${title} ${description}`.toLowerCase().includes(words);
  const found = choices.filter(has);
  // What is chosen stays in sight, whatever is searched for.
  const chosen = choices.filter(
    (choice) => !has(choice) && (draft === choice.value || isIn(draft, choice.value)),
  );
  return (
    <div class="searched">
      <input
        id={id}
        type="search"
        value={search}
        placeholder={`Search ${choices.length} choices`}
        aria-label={`Search the choices of ${field.label}`}
        aria-describedby={describedBy}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        onKeyDown={(event) => {
          // Enter looks for a choice here; it does not answer the question.
          if (event.key === "Enter") event.preventDefault();
        }}
      />
      <div class="choices scrolled">{children([...chosen, ...found.slice(0, MOST)])}</div>
      <p class="counts" role="status">
        {found.length} of {choices.length}
        {found.length > MOST && `; the first ${MOST} are shown`}
      </p>
    </div>
  );
}

const isIn = (draft: ControlProps<Field>["draft"], value: string): boolean =>
  typeof draft !== "string" && draft.includes(value);
