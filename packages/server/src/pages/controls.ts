/** The control of one field: what is typed into, or chosen from. Pure. */
import { oneOf, options, someOf, yesOrNo, type Filled } from "./choice-controls.ts";
import { attributes, html, type Html } from "./html.ts";
import { HERE, splitMoment, zones } from "./zones.ts";

/** What a control says of itself to those who do not see it. */
type Said = Readonly<Record<string, string | boolean | undefined>>;

export function controlOf(filled: Filled, said: Said): Html {
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
      return html`<input${attributes({ ...common, ...UNKEPT, type: "password" })}>`;
    case "file": {
      const accept = Array.isArray(schema["accept"]) ? schema["accept"].join(",") : undefined;
      return html`<input${attributes({ ...common, type: "file", accept })}>`;
    }
    case "yes-no":
      return yesOrNo(filled);
    case "one":
      return oneOf(filled, control.choices, attributes({ required: isRequired, ...said }));
    case "some":
      return someOf(filled, control.choices);
    default:
      return control satisfies never;
  }
}

/** Keeps a browser from keeping what is typed, and from filling in what it has kept. */
export const UNKEPT: Said = { autocomplete: "new-password", autocapitalize: "none", spellcheck: "false" };

function moment({ field: { input, schema }, typed, isHere }: Filled, common: Said): Html {
  const given = typed === undefined ? splitMoment(suggested(schema["default"])) : undefined;
  const value = typed?.get(input) ?? given?.clock ?? "";
  const chosen = typed?.get(`${input}-zone`) ?? given?.zone ?? (isHere ? HERE : "Z");
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
