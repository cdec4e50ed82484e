/** The boxes of fields that are typed into. */
import type { JSX } from "preact";
import type { Draft } from "./draft.ts";
import type { Field, FieldOf } from "./field-kinds.ts";
import { localTime, zoneName } from "./local-time.ts";

export interface ControlProps<F extends Field> {
  readonly field: F;
  readonly id: string;
  readonly draft: Draft;
  readonly describedBy: string;
  readonly invalid: boolean;
  readonly onDraft: (draft: Draft) => void;
}

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

export function TextControl(props: ControlProps<FieldOf<"text">>): JSX.Element {
  const { field } = props;
  if (field.long) return <textarea {...boxProps(props)} rows={5} />;
  if (field.format === "email") return <input {...boxProps(props)} type="email" autocomplete="off" />;
  if (field.format === "uri") return <input {...boxProps(props)} type="url" autocomplete="off" />;
  return <input {...boxProps(props)} type="text" autocomplete="off" />;
}

export function NumberControl(props: ControlProps<FieldOf<"number">>): JSX.Element {
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

export function DateControl(props: ControlProps<FieldOf<"date">>): JSX.Element {
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

export function JsonControl(props: ControlProps<Field>): JSX.Element {
  return <textarea {...boxProps(props)} class="mono" rows={4} placeholder="JSON" />;
}
