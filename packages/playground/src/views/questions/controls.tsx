/** The box for a field that is typed into, by its kind. */
import type { JSX } from "preact";
import type { Draft } from "./draft.ts";
import type { Field, FieldOf } from "./field.ts";
import { localTime, zoneName } from "./local-time.ts";
import { ManyChoices, OneChoice, Stars } from "./choice-controls.tsx";

export interface ControlProps<F extends Field> {
  readonly field: F;
  readonly id: string;
  readonly draft: Draft;
  readonly describedBy: string;
  readonly invalid: boolean;
  readonly onDraft: (draft: Draft) => void;
}

export function Control(props: ControlProps<Field>): JSX.Element {
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
      return <textarea {...boxProps(props)} class="mono" rows={4} placeholder="JSON" />;
    default:
      return field satisfies never;
  }
}

const YES_NO = [
  { value: "yes", title: "Yes" },
  { value: "no", title: "No" },
];

/** What all boxes share. */
function boxProps({ id, field, draft, describedBy, invalid, onDraft }: ControlProps<Field>) {
  return {
    id,
    value: typeof draft === "string" ? draft : "",
    "aria-required": field.required,
    "aria-invalid": invalid,
    "aria-describedby": describedBy,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onDraft(currentTarget.value),
  };
}

function TextControl(props: ControlProps<FieldOf<"text">>): JSX.Element {
  const { field } = props;
  if (field.long) return <textarea {...boxProps(props)} rows={5} />;
  if (field.format === "email") return <input {...boxProps(props)} type="email" autocomplete="off" />;
  if (field.format === "uri") return <input {...boxProps(props)} type="url" autocomplete="off" />;
  return <input {...boxProps(props)} type="text" autocomplete="off" />;
}

function NumberControl(props: ControlProps<FieldOf<"number">>): JSX.Element {
  const { field, draft, id, onDraft } = props;
  const { min, max, integer } = field;
  const step = integer ? 1 : "any";
  const box = <input {...boxProps(props)} type="number" min={min} max={max} step={step} />;
  if (min === undefined || max === undefined) return box;
  return (
    <div class="number">
      {box}
      <input
        type="range"
        class="slider"
        id={`${id}-slider`}
        aria-label={`${field.label}, as a slider`}
        min={min}
        max={max}
        step={step}
        // A slider always stands somewhere; where nothing was chosen it says so.
        value={draft === "" ? String(min) : String(draft)}
        aria-valuetext={draft === "" ? "not chosen yet" : undefined}
        onInput={({ currentTarget }) => onDraft(onSlider(Number(currentTarget.value), min, max))}
      />
      <span class="bounds" aria-hidden="true">
        {min} – {max}
      </span>
    </div>
  );
}

/** No more places than a slider can be set to by hand, a thousandth of its way; and never past its ends. */
function onSlider(value: number, min: number, max: number): string {
  const places = Math.min(100, Math.max(0, 3 - Math.floor(Math.log10(max - min))));
  return String(Math.min(max, Math.max(min, Number(value.toFixed(places)))));
}

function DateControl(props: ControlProps<FieldOf<"date">>): JSX.Element {
  const { time, min, max } = props.field;
  if (!time) return <input {...boxProps(props)} type="date" min={min} max={max ?? "9999-12-31"} />;
  return (
    <div class="moment">
      <input
        {...boxProps(props)}
        type="datetime-local"
        min={min === undefined ? undefined : localTime(min)}
        max={max === undefined ? "9999-12-31T23:59" : localTime(max)}
      />
      <span class="zone">in {zoneName()} time</span>
    </div>
  );
}
