import type { FieldAsk, Reply } from "@photon/core";
import { askMultiselect, askSelect } from "./ask-choice.ts";
import { askConfirm } from "./ask-confirm.ts";
import { askLine } from "./ask-line.ts";
import { askRating } from "./ask-rating.ts";
import type { Field } from "./field.ts";

/** Asks for one value: a question of its own, or one field of a form. */
export function askField(ask: FieldAsk, field: Field): Promise<Reply> {
  switch (ask.ask) {
    case "text":
    case "number":
    case "date":
      return askLine(ask, field);
    case "rating":
      return askRating(ask, field);
    case "confirm":
      return askConfirm(ask, field);
    case "select":
      return askSelect(ask, field);
    case "multiselect":
      return askMultiselect(ask, field);
    default:
      return ask satisfies never;
  }
}
