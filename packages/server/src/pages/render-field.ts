/**
 * One field of a page, with the words around it. Pure.
 *
 *   1. What was typed before comes back; without that, what is suggested. Of a secret and of a file, nothing does.
 *   2. Choices are sent by their number, fields by theirs: nothing an author calls something gets into an answer's names.
 *   3. What is wrong stands beside the field, and the field says so itself.
 */
import { hasSeveral, type Filled } from "./choice-controls.ts";
import { controlOf } from "./controls.ts";
import { hintOf } from "./hints.ts";
import { attributes, html, type Html } from "./html.ts";

export interface FieldView extends Filled {
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
