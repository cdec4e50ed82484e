/**
 * Every ask kind with one value, one line each. The types `Ask`, `FieldAsk` and `Answers`, the constructors `ask.*`, forms, replay and
 * the user interfaces derive from this list. `ask.form`, whose fields are some of these, is in form.ts.
 */
export { confirm } from "./kinds/confirm.ts";
export { date } from "./kinds/date.ts";
export { file } from "./kinds/file.ts";
export { multiselect, select } from "./kinds/choice.ts";
export { number } from "./kinds/number.ts";
export { rating } from "./kinds/rating.ts";
export { secret, text } from "./kinds/text.ts";
export { url } from "./kinds/url.ts";
