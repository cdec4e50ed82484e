/**
 * The fields of a page: which control asks for a value, and its HTML. Pure.
 *
 *   1. A field shows what was typed before, or its default. Secrets and files are never shown again.
 *   2. Fields and choices are numbered in the HTML: it contains no names that authors chose.
 *   3. A problem is beside its field, and the control refers to it.
 */
import {
  type Choice,
  choicesIn,
  describeSize,
  fieldSchema,
  type FileAsk,
  type JsonSchema,
  ratingMaxOf,
} from "@photon/core";
import type { OpenAsk } from "../protocol/elicitation.ts";
import { asSentence, fieldsOf } from "../protocol/elicitation-form.ts";
import { attributes, html, type Html, NO_AUTOFILL } from "./html.ts";
import { LOCAL_ZONE, fromIsoDateTime, zones } from "./time-zones.ts";

type Control =
  | { readonly kind: "text"; readonly type: "text" | "email" | "url" }
  | { readonly kind: "textarea" | "number" | "yes-no" | "date" | "date-time" | "secret" }
  | { readonly kind: "file"; readonly ask: FileAsk }
  | { readonly kind: "rating"; readonly max: number }
  | { readonly kind: "choice" | "choices"; readonly choices: readonly Choice[] };

export interface Field {
  /** Its name in the answer. */
  readonly name: string;
  /** Its name in the HTML. */
  readonly input: string;
  /** `undefined` if the message of the question labels it. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  readonly control: Control;
  readonly schema: JsonSchema;
}

/** Texts that may be longer get a `<textarea>`. */
const MAX_LINE_LENGTH = 200;

/** The fields of a question. A confirm and a url have none: they are answered by buttons. */
export function fieldsFor(question: OpenAsk): readonly Field[] {
  if (question.ask === "form") {
    const { properties, required } = fieldsOf(question);
    return Object.entries(properties).map(([name, schema], index) => ({
      name,
      input: `f${index}`,
      label: textIn(schema["title"]) ?? name,
      description: textIn(schema["description"]),
      isRequired: required.includes(name),
      control: controlFor(schema),
      schema,
    }));
  }
  if (question.ask === "confirm" || question.ask === "url") return [];
  const field = { name: "value", input: "f0", label: question.label, isRequired: true };
  if (question.ask === "secret") {
    const { minLength, maxLength } = question;
    return [{ ...field, control: { kind: "secret" }, schema: { type: "string", minLength, maxLength } }];
  }
  if (question.ask === "file") return [{ ...field, control: { kind: "file", ask: question }, schema: {} }];
  const schema = fieldSchema(question);
  return [{ ...field, control: controlFor(schema), schema }];
}

function controlFor(schema: JsonSchema): Control {
  const max = ratingMaxOf(schema);
  if (max !== undefined) return { kind: "rating", max };
  switch (schema.type) {
    case "boolean":
      return { kind: "yes-no" };
    case "number":
    case "integer":
      return { kind: "number" };
    case "array":
      return { kind: "choices", choices: choicesIn(schema) };
    default:
      return controlForText(schema);
  }
}

function controlForText(schema: JsonSchema): Control {
  const { const: only, enum: plain, oneOf, anyOf, format, maxLength } = schema;
  if (typeof only === "string") return { kind: "choice", choices: [{ value: only, title: only }] };
  if (plain !== undefined || oneOf !== undefined || anyOf !== undefined)
    return { kind: "choice", choices: choicesIn(schema) };
  if (format === "date" || format === "date-time") return { kind: format };
  if (format === "email") return { kind: "text", type: "email" };
  if (format === "uri") return { kind: "text", type: "url" };
  const suggestion = textIn(schema["default"]) ?? "";
  const isLong = Number(maxLength) > MAX_LINE_LENGTH || suggestion.length > MAX_LINE_LENGTH;
  return isLong || suggestion.includes("\n") ? { kind: "textarea" } : { kind: "text", type: "text" };
}

const textIn = (given: unknown): string | undefined =>
  typeof given === "string" && given !== "" ? given : undefined;

interface FieldView {
  readonly field: Field;
  readonly problem: string | undefined;
  /** The form that was sent last; `undefined` on a new page. */
  readonly typed: URLSearchParams | undefined;
  /** Whether the browser is on this machine. */
  readonly isLocal: boolean;
}

type Attributes = Parameters<typeof attributes>[0];

export function renderField(view: FieldView): Html {
  const { field, problem } = view;
  const { input, label, control } = field;
  const hint = hintOf(field);
  const notes = [hint !== "" && `${input}-hint`, problem !== undefined && `${input}-problem`];
  const aria = {
    "aria-labelledby": label === undefined ? "question" : undefined,
    "aria-describedby": notes.filter(Boolean).join(" ") || undefined,
    "aria-invalid": problem === undefined ? undefined : "true",
  };
  const texts = [
    hint !== "" && html`<p class="hint" id="${input}-hint">${hint}</p>`,
    problem !== undefined && html`<p class="problem" id="${input}-problem">${problem}</p>`,
  ];
  const title = label !== undefined && [label, !field.isRequired && html` <small>(optional)</small>`];
  if (!isGroup(control)) {
    const labelled = title && html`<label for="${input}">${title}</label>`;
    return html`<div class="field">${labelled}${texts}${renderControl(view, aria)}</div>`;
  }
  const role = control.kind === "choices" ? undefined : "radiogroup";
  const group = attributes({ id: input, tabindex: -1, role, ...aria });
  const legend = title && html`<legend>${title}</legend>`;
  return html`<fieldset class="field" ${group}>${legend}${texts}${renderControl(view, {})}</fieldset>`;
}

function renderControl(view: FieldView, aria: Attributes): Html {
  const { field, typed } = view;
  const { input, control, schema, isRequired } = field;
  const suggestion = schema["default"];
  const value = typed === undefined ? textOrNumber(suggestion) : (typed.get(input) ?? "");
  const common = { id: input, name: input, required: isRequired, ...aria };
  switch (control.kind) {
    case "text":
      return html`<input${attributes({ ...common, type: control.type, value })}>`;
    case "textarea":
      // HTML ignores the first line break after the tag.
      return html`<textarea${attributes({ ...common, rows: 6 })}>${"\n"}${value}</textarea>`;
    case "number": {
      const inputmode = schema.type === "integer" ? "numeric" : "decimal";
      // Not of type number: browsers send no text that is not a number, and its problem could not be shown.
      return html`<input${attributes({ ...common, inputmode, autocomplete: "off", value })}>`;
    }
    case "date": {
      const [min, max] = [schema["formatMinimum"], schema["formatMaximum"]].map(textIn);
      return html`<input${attributes({ ...common, type: "date", value, min, max })}>`;
    }
    case "date-time":
      return dateTime(view, common);
    case "secret":
      // A secret is not sent back to the browser.
      return html`<input${attributes({ ...common, ...NO_AUTOFILL, type: "password" })}>`;
    case "file":
      return html`<input${attributes({ ...common, type: "file", accept: control.ask.accept?.join(",") })}>`;
    case "yes-no": {
      const preset = typeof suggestion === "boolean" ? (suggestion ? "yes" : "no") : "";
      return radios(field, YES_NO, typed?.get(input) ?? preset);
    }
    case "rating":
      return stars(field, control.max, value);
    case "choice": {
      const index = control.choices.findIndex((choice) => choice.value === suggestion);
      const chosen = typed?.get(input) ?? (index === -1 ? "" : String(index));
      const numbered = control.choices.map((choice, number) => ({ ...choice, value: String(number) }));
      if (isGroup(control)) return radios(field, numbered, chosen);
      const nothing = isRequired ? { value: "", title: "Choose…" } : NO_ANSWER;
      return html`<select id="${input}" name="${input}" ${attributes({ required: isRequired, ...aria })}>
        ${options([nothing, ...numbered], chosen)}
      </select>`;
    }
    case "choices":
      return checkboxes(view, control.choices);
    default:
      return control satisfies never;
  }
}

const textOrNumber = (suggestion: unknown): string =>
  typeof suggestion === "string" || typeof suggestion === "number" ? String(suggestion) : "";

const YES_NO: readonly Choice[] = [
  { value: "yes", title: "Yes" },
  { value: "no", title: "No" },
];

/** The choice that leaves an optional field empty. */
const NO_ANSWER: Choice = { value: "", title: "No answer" };

/** More choices without descriptions are a `<select>`. */
const MAX_RADIOS = 8;

/** Whether a control has several inputs, and needs a fieldset. */
function isGroup(control: Control): boolean {
  if (control.kind !== "choice") return ["choices", "yes-no", "rating"].includes(control.kind);
  const { choices } = control;
  return choices.length <= MAX_RADIOS || choices.some(({ description }) => description !== undefined);
}

function dateTime({ field: { input, schema }, typed, isLocal }: FieldView, common: Attributes): Html {
  const given = typed === undefined ? fromIsoDateTime(textOrNumber(schema["default"])) : undefined;
  const value = typed?.get(input) ?? given?.local ?? "";
  const chosen = typed?.get(`${input}-zone`) ?? given?.zone ?? (isLocal ? LOCAL_ZONE : "Z");
  const offered = zones(isLocal);
  const isOffered = offered.some((zone) => zone.value === chosen);
  const all = isOffered ? offered : [{ value: chosen, title: `UTC${chosen}` }, ...offered];
  const zone = attributes({ name: `${input}-zone`, "aria-label": "Time zone" });
  return html`<div class="moment"><input${attributes({ ...common, type: "datetime-local", value })}>
<select${zone}>${options(all, chosen)}</select></div>`;
}

const options = (choices: readonly Choice[], chosen: string): readonly Html[] =>
  choices.map(
    ({ value, title }) => html`<option${attributes({ value, selected: value === chosen })}>${title}</option>`,
  );

function checkboxes({ field: { input, schema }, typed }: FieldView, choices: readonly Choice[]): Html {
  const suggestion: readonly unknown[] = Array.isArray(schema["default"]) ? schema["default"] : [];
  const boxes = choices.map((choice, index) => {
    const value = String(index);
    const isChecked =
      typed === undefined ? suggestion.includes(choice.value) : typed.getAll(input).includes(value);
    return choiceInput("checkbox", input, index, { ...choice, value }, isChecked);
  });
  return html`<div class="choices">${boxes}</div>`;
}

function radios({ input, isRequired }: Field, choices: readonly Choice[], chosen: string): Html {
  const all = isRequired ? choices : [...choices, NO_ANSWER];
  const buttons = all.map((choice, index) =>
    choiceInput("radio", input, index, choice, choice.value === chosen),
  );
  return html`<div class="choices">${buttons}</div>`;
}

/** Radio buttons drawn as stars. CSS fills those up to the chosen one. */
function stars({ input, isRequired }: Field, max: number, chosen: string): Html {
  const all = Array.from({ length: max }, (_, index) => {
    const [id, value] = [`${input}-${index}`, String(index + 1)];
    const title = `${value} of ${max}`;
    const checked = value === chosen;
    const given = attributes({ id, name: input, type: "radio", value, checked, "aria-label": title });
    return html`<label class="star" for="${id}" title="${title}"><input${given}></label>`;
  });
  const none = !isRequired && choiceInput("radio", input, max, NO_ANSWER, chosen === "");
  return html`<div class="stars">${all}</div>
    ${none}`;
}

function choiceInput(
  type: "radio" | "checkbox",
  input: string,
  index: number,
  { value, title, description }: Choice,
  checked: boolean,
): Html {
  const id = `${input}-${index}`;
  const describedBy = description === undefined ? undefined : `${id}-about`;
  const given = attributes({ id, name: input, type, value, checked, "aria-describedby": describedBy });
  const about = describedBy !== undefined && html`<small id="${describedBy}">${description}</small>`;
  return html`<label class="choice" for="${id}"><input${given}><span>${title}${about}</span></label>`;
}

/** "The code on your badge. 3 to 20 characters. Must be capital letters."; "" if there is nothing to say. */
function hintOf({ description, control, schema }: Field): string {
  const { patternMessage } = schema;
  const pattern = typeof patternMessage === "string" && asSentence(patternMessage);
  return [description, boundsHint(control, schema), pattern].filter(Boolean).join(" ");
}

function boundsHint(control: Control, schema: JsonSchema): string {
  switch (control.kind) {
    case "text":
    case "textarea":
    case "secret": {
      const amount = range(schema["minLength"], schema["maxLength"]);
      return amount && `${amount} characters.`;
    }
    case "number": {
      const isWhole = schema.type === "integer";
      const amount = range(schema["minimum"], schema["maximum"]);
      if (!isWhole && amount === "") return "";
      return `${[isWhole ? "A whole number" : "A number", lower(amount)].filter(Boolean).join(", ")}.`;
    }
    case "choices": {
      const amount = range(schema["minItems"], schema["maxItems"]);
      return amount && `Choose ${lower(amount)}.`;
    }
    case "date":
    case "date-time": {
      const dates = range(schema["formatMinimum"], schema["formatMaximum"], "Not before", "Not after");
      return dates && `${dates}.`;
    }
    case "file": {
      const { accept, maxBytes } = control.ask;
      const types = accept && `Of type ${accept.join(", ")}.`;
      const size = maxBytes !== undefined && `At most ${describeSize(maxBytes)}.`;
      return [types, size].filter(Boolean).join(" ");
    }
    case "choice":
    case "rating":
    case "yes-no":
      return "";
    default:
      return control satisfies never;
  }
}

/** "At least 3", "At most 20", "3 to 20"; "" without bounds. */
function range(min: unknown, max: unknown, least = "At least", most = "At most"): string {
  const [from, to] = [textOrNumber(min), textOrNumber(max)];
  if (from === "") return to === "" ? "" : `${most} ${to}`;
  if (to === "") return from === "0" ? "" : `${least} ${from}`;
  return from === to ? from : `${from} to ${to}`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
