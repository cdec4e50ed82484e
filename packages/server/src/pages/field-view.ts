/**
 * One field of a page, with the words around it. Pure.
 *
 *   1. What was typed before comes back; without that, what is suggested. Of a secret and of a file, nothing does.
 *   2. Choices are sent by their number, fields by theirs: nothing an author calls something gets into an answer's names.
 *   3. What is wrong stands beside the field, and the field says so itself.
 */
import { attributes, html, type Html } from "./html.ts";
import { LOCAL_ZONE, fromIsoDateTime, zones } from "./time-zones.ts";
import type { Choice } from "@photon/core";
import type { Field } from "./fields.ts";
import { asSentence } from "../protocol/elicitation-form.ts";

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

/** The control of one field: what is typed into, or chosen from. Pure. */

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
    case "one":
      return oneOf(filled, control.choices, attributes({ required: isRequired, ...said }));
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

const textIn = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);

/** Things to choose from, on a page: one below the other, or folded away where they are many. Pure. */

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
function oneOf({ field, typed }: FieldInput, choices: readonly Choice[], said: Html): Html {
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

/** What fits into a field, in words. Pure. */

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
      return numbers(schema);
    case "some":
      return range(schema["minItems"], schema["maxItems"], (amount) => `Choose ${lower(amount)}.`);
    case "day":
    case "moment":
      return range(schema["formatMinimum"], schema["formatMaximum"], (amount) => `${amount}.`, DATES);
    case "file":
      return files(schema);
    case "one":
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

function numbers(schema: Field["schema"]): string {
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
