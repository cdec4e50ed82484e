/** Things to choose from, on a page: one below the other, or folded away where they are many. Pure. */
import type { Choice } from "@photon/core";
import type { Field } from "./fields.ts";
import { attributes, html, type Html } from "./html.ts";

/** What a control shows. */
export interface Filled {
  readonly field: Field;
  /** What was sent last, by the name of the control; nothing on a page that is new. */
  readonly typed: URLSearchParams | undefined;
  /** Whether the person sits at this machine. */
  readonly isHere: boolean;
}

/** More choices than these are folded away, unless they have something to say. */
const MOST_SHOWN = 8;

/** Whether a field is made of several controls. */
export function hasSeveral({ control }: Field): boolean {
  return (
    control.kind === "some" ||
    control.kind === "yes-no" ||
    (control.kind === "one" && isOpen(control.choices))
  );
}

const isOpen = (choices: readonly Choice[]): boolean =>
  choices.length <= MOST_SHOWN || choices.some(({ description }) => description !== undefined);

export function yesOrNo({ field, typed }: Filled): Html {
  const { default: suggestion } = field.schema;
  const preset = typeof suggestion === "boolean" ? (suggestion ? "yes" : "no") : "";
  const choices = [
    { value: "yes", title: "Yes" },
    { value: "no", title: "No" },
  ];
  return radios(field, choices, typed?.get(field.input) ?? preset);
}

/** `said`: what the control says of itself. */
export function oneOf({ field, typed }: Filled, choices: readonly Choice[], said: Html): Html {
  const { input, schema, isRequired } = field;
  const value = typed?.get(input) ?? numberOf(choices, schema["default"]) ?? "";
  const numbered = choices.map((choice, index) => ({ ...choice, value: String(index) }));
  if (isOpen(choices)) return radios(field, numbered, value);
  const nothing = { value: "", title: isRequired ? "Choose…" : "No answer" };
  return html`<select id="${input}" name="${input}" ${said}>
    ${options([nothing, ...numbered], value)}
  </select>`;
}

export function options(choices: readonly Choice[], chosen: string): readonly Html[] {
  return choices.map(({ value, title }) => {
    const given = attributes({ value, selected: value === chosen });
    return html`<option${given}>${title}</option>`;
  });
}

export function someOf({ field: { input, schema }, typed }: Filled, choices: readonly Choice[]): Html {
  const suggestion: readonly unknown[] = Array.isArray(schema["default"]) ? schema["default"] : [];
  const ticks = choices.map((choice, index) => {
    const number = String(index);
    const isTicked =
      typed === undefined ? suggestion.includes(choice.value) : typed.getAll(input).includes(number);
    return tick("checkbox", input, index, { ...choice, value: number }, isTicked);
  });
  return html`<div class="choices">${ticks}</div>`;
}

function radios({ input, isRequired }: Field, choices: readonly Choice[], chosen: string): Html {
  const all = isRequired ? choices : [...choices, { value: "", title: "No answer" }];
  const ticks = all.map((choice, index) => tick("radio", input, index, choice, choice.value === chosen));
  return html`<div class="choices">${ticks}</div>`;
}

function tick(
  type: "radio" | "checkbox",
  input: string,
  index: number,
  { value, title, description }: Choice,
  checked: boolean,
): Html {
  const id = `${input}-${index}`;
  const about = description === undefined ? undefined : `${id}-about`;
  const given = attributes({ id, name: input, type, value, checked, "aria-describedby": about });
  const more = about !== undefined && html`<small id="${about}">${description}</small>`;
  return html`<label class="choice" for="${id}"><input${given}><span>${title}${more}</span></label>`;
}

/** The number of the choice that is preset. */
function numberOf(choices: readonly Choice[], suggestion: unknown): string | undefined {
  const index = choices.findIndex(({ value }) => value === suggestion);
  return index === -1 ? undefined : String(index);
}
