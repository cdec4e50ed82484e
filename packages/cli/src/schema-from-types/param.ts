import type { BindingPattern, Expression, TSType } from "oxc-parser";
import type { ParamDoc } from "./read-doc.ts";

/** A parameter, its default taken off. */
export interface Param {
  readonly pattern: BindingPattern;
  readonly isRest: boolean;
  readonly isOptional: boolean;
  readonly default?: Expression;
  readonly type?: TSType;
  readonly doc?: ParamDoc;
}
