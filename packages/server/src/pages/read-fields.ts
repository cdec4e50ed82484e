/**
 * What was filled in, as values. Pure.
 *
 * What does not stand for anything of its kind is passed on as it is: it is for the question to say that it does not
 * fit. What was left empty is nothing.
 */
import type { Choice } from "@photon/core";
import type { Field } from "./fields.ts";
import { joinMoment } from "./zones.ts";

/** A value, where there is one; files are not read here. */
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
      return numberIn(text.trim());
    case "day":
      return text.trim() === "" ? undefined : text.trim();
    case "moment":
      return text.trim() === "" ? undefined : joinMoment(text, form.get(`${input}-zone`) ?? "", isHere);
    case "yes-no":
      if (text === "yes" || text === "no") return text === "yes";
      return text === "" ? undefined : text;
    case "one":
      return text === "" ? undefined : chosen(control.choices, text);
    case "some":
      return several(field, control.choices, form.getAll(input));
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

function chosen(choices: readonly Choice[], number: string): string {
  return (/^\d+$/.test(number) ? choices[Number(number)]?.value : undefined) ?? number;
}

/** Nothing ticked is none of them; of a field that wants some and may be left empty, it is no answer. */
function several(
  { isRequired, schema }: Field,
  choices: readonly Choice[],
  numbers: readonly string[],
): readonly string[] | undefined {
  const isLeft = numbers.length === 0 && !isRequired && Number(schema["minItems"]) > 0;
  return isLeft ? undefined : numbers.map((number) => chosen(choices, number));
}
