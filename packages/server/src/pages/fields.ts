/**
 * The fields of a page: which control asks for a value, its HTML, and the value it sends back. Pure.
 *
 *   1. What was typed before is shown again; otherwise the default. Secrets and files are never shown again.
 *   2. Fields and choices have numbers in the HTML: no name of an author's is in it.
 *   3. A problem stands beside its field, and the control refers to it.
 */
import { type Choice, type JsonSchema, ratingMaxOf } from "@photon/core";
import { asSentence, choicesIn, fieldsOf, hasForm } from "../protocol/elicitation-form.ts";
import { attributes, html, type Html } from "./html.ts";
import { LOCAL_ZONE, fromIsoDateTime, toIsoDateTime, zones } from "./time-zones.ts";
import type { OpenAsk } from "./types.ts";

type Control =
  | { readonly kind: "line"; readonly type: "text" | "email" | "url" }
  | { readonly kind: "lines" | "number" | "yes-no" | "day" | "moment" | "secret" | "file" }
  | { readonly kind: "rating"; readonly max: number }
  | { readonly kind: "one" | "some"; readonly choices: readonly Choice[] };

export interface Field {
  /** Its name in the answer. */
  readonly name: string;
  /** Its name on the page, which is ours: what authors call their fields gets nowhere near one. */
  readonly input: string;
  /** Nothing where the question itself says what goes in. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  readonly control: Control;
  /** What fits, and what is suggested. */
  readonly schema: JsonSchema;
}

/** Longer texts have more than one line. */
const LONGEST_LINE = 200;

export function fieldsFor(question: OpenAsk): readonly Field[] {
  // Yes, no and done are said by buttons.
  if (question.ask === "confirm" || question.ask === "url") return [];
  if (question.ask !== "form") return [onlyField(question)];
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

/** The field of a question for one value. */
function onlyField(question: Exclude<OpenAsk, { ask: "confirm" | "url" | "form" }>): Field {
  const field = { name: "value", input: "f0", label: question.label, isRequired: true };
  if (question.ask === "secret") {
    const { minLength, maxLength } = question;
    return { ...field, control: { kind: "secret" }, schema: { type: "string", minLength, maxLength } };
  }
  if (question.ask === "file") {
    const { accept, maxBytes } = question;
    return { ...field, control: { kind: "file" }, schema: { type: "object", accept, maxBytes } };
  }
  const schema = hasForm(question) ? (fieldsOf(question).properties["value"] ?? {}) : {};
  return { ...field, control: controlFor(schema), schema };
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
      return { kind: "some", choices: choicesIn(schema) };
    default:
      return controlForText(schema);
  }
}

function controlForText(schema: JsonSchema): Control {
  const { const: only, enum: plain, oneOf, anyOf, format, maxLength } = schema;
  if (typeof only === "string") return { kind: "one", choices: [{ value: only, title: only }] };
  if (plain !== undefined || oneOf !== undefined || anyOf !== undefined)
    return { kind: "one", choices: choicesIn(schema) };
  if (format === "date") return { kind: "day" };
  if (format === "date-time") return { kind: "moment" };
  if (format === "email") return { kind: "line", type: "email" };
  if (format === "uri") return { kind: "line", type: "url" };
  const suggestion = textIn(schema["default"]) ?? "";
  const isLong = Number(maxLength) > LONGEST_LINE || suggestion.length > LONGEST_LINE;
  return isLong || suggestion.includes("\n") ? { kind: "lines" } : { kind: "line", type: "text" };
}

const textIn = (given: unknown): string | undefined =>
  typeof given === "string" && given !== "" ? given : undefined;

interface FieldView extends FieldInput {
  readonly problem: string | undefined;
}

export function renderField(view: FieldView): Html {
  const { field, problem } = view;
  const { input, label, description, control } = field;
  const hint = [description, hintOf(field)].filter((text) => text !== undefined && text !== "").join(" ");
  const notes = [hint !== "" && `${input}-hint`, problem !== undefined && `${input}-problem`];
  const said = {
    "aria-labelledby": label === undefined ? "question" : undefined,
    "aria-describedby": notes.filter(Boolean).join(" ") || undefined,
    "aria-invalid": problem === undefined ? undefined : "true",
  };
  const words = [
    hint !== "" && html`<p class="hint" id="${input}-hint">${hint}</p>`,
    problem !== undefined && html`<p class="problem" id="${input}-problem">${problem}</p>`,
  ];
  const named = label !== undefined && [label, !field.isRequired && html` <small>(optional)</small>`];
  if (!hasSeveral(field)) {
    const title = named && html`<label for="${input}">${named}</label>`;
    return html`<div class="field">${title}${words}${controlOf(view, said)}</div>`;
  }
  const group = {
    id: input,
    tabindex: -1,
    role: control.kind === "some" ? undefined : "radiogroup",
    ...said,
  };
  const title = named && html`<legend>${named}</legend>`;
  return html`<fieldset class="field" ${attributes(group)}>${title}${words}${controlOf(view, {})}</fieldset>`;
}

/** What a control says of itself to those who do not see it. */
type Said = Readonly<Record<string, string | boolean | undefined>>;

function controlOf(filled: FieldInput, said: Said): Html {
  const { input, control, schema, isRequired } = filled.field;
  const value = filled.typed === undefined ? suggested(schema["default"]) : (filled.typed.get(input) ?? "");
  const common = { id: input, name: input, required: isRequired, ...said };
  switch (control.kind) {
    case "line":
      return html`<input${attributes({ ...common, type: control.type, value })}>`;
    case "lines":
      // The first line break behind the tag is not part of the text.
      return html`<textarea${attributes({ ...common, rows: 6 })}>${"\n"}${value}</textarea>`;
    case "number": {
      const inputmode = schema.type === "integer" ? "numeric" : "decimal";
      // Not of type number, which loses what was typed where it is none.
      return html`<input${attributes({ ...common, inputmode, autocomplete: "off", value })}>`;
    }
    case "day": {
      const [min, max] = [schema["formatMinimum"], schema["formatMaximum"]].map(textIn);
      return html`<input${attributes({ ...common, type: "date", value, min, max })}>`;
    }
    case "moment":
      return moment(filled, common);
    case "secret":
      // Nothing that was typed comes back.
      return html`<input${attributes({ ...common, ...NO_AUTOFILL, type: "password" })}>`;
    case "file": {
      const accept = Array.isArray(schema["accept"]) ? schema["accept"].join(",") : undefined;
      return html`<input${attributes({ ...common, type: "file", accept })}>`;
    }
    case "yes-no":
      return yesNoRadios(filled);
    case "rating":
      return stars(filled.field, control.max, value);
    case "one":
      return radiosOrSelect(filled, control.choices, attributes({ required: isRequired, ...said }));
    case "some":
      return checkboxes(filled, control.choices);
    default:
      return control satisfies never;
  }
}

/** Keeps a browser from keeping what is typed, and from filling in what it has kept. */
export const NO_AUTOFILL: Said = {
  autocomplete: "new-password",
  autocapitalize: "none",
  spellcheck: "false",
};

function moment({ field: { input, schema }, typed, isHere }: FieldInput, common: Said): Html {
  const given = typed === undefined ? fromIsoDateTime(suggested(schema["default"])) : undefined;
  const value = typed?.get(input) ?? given?.clock ?? "";
  const chosen = typed?.get(`${input}-zone`) ?? given?.zone ?? (isHere ? LOCAL_ZONE : "Z");
  const offered = zones(isHere);
  const isOffered = offered.some((zone) => zone.value === chosen);
  const all = isOffered ? offered : [{ value: chosen, title: `UTC${chosen}` }, ...offered];
  const zone = attributes({ name: `${input}-zone`, "aria-label": "Time zone" });
  return html`<div class="moment"><input${attributes({ ...common, type: "datetime-local", value })}>
<select${zone}>${options(all, chosen)}</select></div>`;
}

function suggested(suggestion: unknown): string {
  return typeof suggestion === "string" || typeof suggestion === "number" ? String(suggestion) : "";
}

/** What a control shows. */
interface FieldInput {
  readonly field: Field;
  /** What was sent last, by the name of the control; nothing on a page that is new. */
  readonly typed: URLSearchParams | undefined;
  /** Whether the person sits at this machine. */
  readonly isHere: boolean;
}

/** More choices than these are folded away, unless they have something to say. */
const MOST_SHOWN = 8;

/** Whether a field is made of several controls. */
function hasSeveral({ control }: Field): boolean {
  return (
    control.kind === "some" ||
    control.kind === "yes-no" ||
    control.kind === "rating" ||
    (control.kind === "one" && isOpen(control.choices))
  );
}

const isOpen = (choices: readonly Choice[]): boolean =>
  choices.length <= MOST_SHOWN || choices.some(({ description }) => description !== undefined);

function yesNoRadios({ field, typed }: FieldInput): Html {
  const { default: suggestion } = field.schema;
  const preset = typeof suggestion === "boolean" ? (suggestion ? "yes" : "no") : "";
  const choices = [
    { value: "yes", title: "Yes" },
    { value: "no", title: "No" },
  ];
  return radios(field, choices, typed?.get(field.input) ?? preset);
}

/** `said`: what the control says of itself. */
function radiosOrSelect({ field, typed }: FieldInput, choices: readonly Choice[], said: Html): Html {
  const { input, schema, isRequired } = field;
  const value = typed?.get(input) ?? numberOf(choices, schema["default"]) ?? "";
  const numbered = choices.map((choice, index) => ({ ...choice, value: String(index) }));
  if (isOpen(choices)) return radios(field, numbered, value);
  const nothing = { value: "", title: isRequired ? "Choose…" : "No answer" };
  return html`<select id="${input}" name="${input}" ${said}>
    ${options([nothing, ...numbered], value)}
  </select>`;
}

function options(choices: readonly Choice[], chosen: string): readonly Html[] {
  return choices.map(({ value, title }) => {
    const given = attributes({ value, selected: value === chosen });
    return html`<option${given}>${title}</option>`;
  });
}

function checkboxes({ field: { input, schema }, typed }: FieldInput, choices: readonly Choice[]): Html {
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

/** Radio buttons drawn as stars. CSS fills those up to the chosen one. */
function stars({ input, isRequired }: Field, max: number, chosen: string): Html {
  const all = Array.from({ length: max }, (_, index) => {
    const value = String(index + 1);
    const given = attributes({
      id: `${input}-${index}`,
      name: input,
      type: "radio",
      value,
      checked: value === chosen,
      "aria-label": `${value} of ${max}`,
    });
    return html`<label class="star" for="${input}-${index}" title="${value} of ${max}"><input${given}></label>`;
  });
  const none = !isRequired && tick("radio", input, max, { value: "", title: "No answer" }, chosen === "");
  return html`<div class="stars">${all}</div>
    ${none}`;
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

/** "3 to 20 characters. Must be a code of capital letters."; nothing where anything does. */
function hintOf({ control, schema }: Field): string {
  const { patternMessage } = schema;
  const sentences = [
    bounds(control.kind, schema),
    typeof patternMessage === "string" ? asSentence(patternMessage) : "",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function bounds(kind: Field["control"]["kind"], schema: Field["schema"]): string {
  switch (kind) {
    case "line":
    case "lines":
    case "secret":
      return range(schema["minLength"], schema["maxLength"], (amount) => `${amount} characters.`);
    case "number":
      return numberHint(schema);
    case "some":
      return range(schema["minItems"], schema["maxItems"], (amount) => `Choose ${lower(amount)}.`);
    case "day":
    case "moment":
      return range(schema["formatMinimum"], schema["formatMaximum"], (amount) => `${amount}.`, DATES);
    case "file":
      return files(schema);
    case "one":
    case "rating":
    case "yes-no":
      return "";
    default:
      return kind satisfies never;
  }
}

interface Words {
  readonly least: string;
  readonly most: string;
}

const AMOUNTS: Words = { least: "At least", most: "At most" };
const DATES: Words = { least: "Not before", most: "Not after" };

function range(
  min: unknown,
  max: unknown,
  say: (amount: string) => string,
  { least, most }: Words = AMOUNTS,
): string {
  const [from, to] = [min, max].map((bound) => (isBound(bound) ? String(bound) : undefined));
  if (from === undefined) return to === undefined ? "" : say(`${most} ${to}`);
  if (to === undefined) return from === "0" ? "" : say(`${least} ${from}`);
  return say(from === to ? from : `${from} to ${to}`);
}

function numberHint(schema: Field["schema"]): string {
  const whole = schema.type === "integer" ? "A whole number" : "A number";
  const between = range(schema["minimum"], schema["maximum"], lower);
  const said = between === "" ? whole : `${whole}, ${between}`;
  return schema.type === "integer" || between !== "" ? `${said}.` : "";
}

function files({ accept, maxBytes }: Field["schema"]): string {
  const types = Array.isArray(accept) ? `Of type ${accept.join(", ")}.` : "";
  const size = typeof maxBytes === "number" ? `At most ${sizeOf(maxBytes)}.` : "";
  return `${types} ${size}`.trim();
}

/** "5 MB", as people say it. */
export function sizeOf(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const step = Math.min(Math.max(0, Math.floor(Math.log10(bytes) / 3)), units.length - 1);
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step] ?? ""}`;
}

const isBound = (bound: unknown): boolean => typeof bound === "number" || typeof bound === "string";

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * The value of a field in the form that a browser sent; `undefined` where it was left empty, and for a file. Text that is not of
 * the field's type is returned as it is, for the check of the answer to refuse.
 */
export function readField(field: Field, form: URLSearchParams, isHere: boolean): unknown {
  const { input, control } = field;
  const text = form.get(input) ?? "";
  switch (control.kind) {
    case "line":
    case "secret":
      return text === "" ? undefined : text;
    case "lines":
      // Browsers send line breaks as two characters.
      return text === "" ? undefined : text.replaceAll("\r\n", "\n");
    case "number":
    case "rating":
      return numberIn(text.trim());
    case "day":
      return text.trim() === "" ? undefined : text.trim();
    case "moment":
      return text.trim() === "" ? undefined : toIsoDateTime(text, form.get(`${input}-zone`) ?? "", isHere);
    case "yes-no":
      if (text === "yes" || text === "no") return text === "yes";
      return text === "" ? undefined : text;
    case "one":
      return text === "" ? undefined : choiceAt(control.choices, text);
    case "some":
      return choicesAt(field, control.choices, form.getAll(input));
    case "file":
      return undefined;
    default:
      return control satisfies never;
  }
}

function numberIn(text: string): unknown {
  if (text === "") return undefined;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

function choiceAt(choices: readonly Choice[], number: string): string {
  return (/^\d+$/.test(number) ? choices[Number(number)]?.value : undefined) ?? number;
}

/** Nothing ticked is none of them; of a field that wants some and may be left empty, it is no answer. */
function choicesAt(
  { isRequired, schema }: Field,
  choices: readonly Choice[],
  numbers: readonly string[],
): readonly string[] | undefined {
  const isLeft = numbers.length === 0 && !isRequired && Number(schema["minItems"]) > 0;
  return isLeft ? undefined : numbers.map((number) => choiceAt(choices, number));
}
