import type { ComponentChildren } from "preact";
import type { JsonSchema } from "../desk/offer.ts";
import type { Given } from "../desk/run.ts";

/** What a way to give an input is told, whether by a form or as JSON. */
export interface InputProps {
  readonly schema: JsonSchema;
  readonly given: Given;
  readonly onChange: (given: Given) => void;
  readonly onSubmit: (given: Given) => void;
  /** What stands below: the buttons. */
  readonly children: ComponentChildren;
}
