/** Every ask kind, and the constructors `ask.text(…)`, `ask.confirm(…)`, …: frozen data, of which `yield*` returns the typed answer. */
import type { Ask, AskKind } from "../ask-types.ts";
import type { AskAll, AskOutcome, Outcome, Question } from "../effects.ts";
import { InvalidAsk } from "../errors.ts";
import { markUsed } from "../unyielded-effects.ts";
import { describeValue } from "../util/describe-value.ts";
import { isPlainObject } from "../util/json.ts";
import type { AskKindDescriptor } from "./ask-kind.ts";
import { multiselect, select } from "./kinds/choice.ts";
import { confirm } from "./kinds/confirm.ts";
import { date } from "./kinds/date.ts";
import { file, fileKind } from "./kinds/file.ts";
import { fieldKinds, form, formKind, optional } from "./kinds/form.ts";
import { number } from "./kinds/number.ts";
import { rating } from "./kinds/rating.ts";
import { secret, secretKind, text } from "./kinds/text.ts";
import { url, urlKind } from "./kinds/url.ts";
import { idProblem } from "./make-ask.ts";
import { type AnswerOf, isBuilt, type Yieldable, yieldable } from "./yieldable.ts";

export const askKinds: { readonly [Kind in AskKind]: AskKindDescriptor<Extract<Ask, { ask: Kind }>> } = {
  ...fieldKinds,
  secret: secretKind,
  file: fileKind,
  form: formKind,
  url: urlKind,
};

export const descriptorOf = (ask: Ask): AskKindDescriptor<Ask> => askKinds[ask.ask];

/** More than a person answers in one go. */
const MAX_QUESTIONS = 1000;

type Askable = Yieldable<Question | AskOutcome, unknown>;

/** Several questions in one round; answered with an object of their answers. The record's keys are their ids. */
function all<const Asks extends { readonly [id: string]: Askable }>(
  asks: Asks,
): Yieldable<AskAll, { -readonly [Id in keyof Asks]: AnswerOf<Asks[Id]> }> {
  const entries: readonly [string, unknown][] = isPlainObject(asks) ? Object.entries(asks) : [];
  if (entries.length === 0) throw new InvalidAsk("ask.all", "it has no questions");
  if (entries.length > MAX_QUESTIONS) {
    throw new InvalidAsk(
      "ask.all",
      `it has ${entries.length} questions; ask at most ${MAX_QUESTIONS} at once`,
    );
  }
  const named = new Set<string>();
  for (const [id, entry] of entries) {
    const question = questionIn(entry);
    const own = question?.id;
    const problem =
      idProblem(id) ??
      (question === undefined
        ? `${describeValue(entry)} is no question; give what ask, sample or roots make`
        : undefined) ??
      (own !== undefined && named.has(own)
        ? `two of its questions have the id ${JSON.stringify(own)}`
        : undefined);
    if (problem !== undefined) throw new InvalidAsk(`ask.all: ${id}`, problem);
    if (own !== undefined) named.add(own);
  }
  for (const question of Object.values(asks)) markUsed(question);
  return yieldable({ emit: "ask", ask: "all", asks: Object.freeze({ ...asks }) });
}

/** How a question ended, as data: `{ action, value? }`. Nothing is thrown. */
function outcome<Answer>(of: Yieldable<Question | AskAll, Answer>): Yieldable<AskOutcome, Outcome<Answer>> {
  const isRound = isPlainObject(of) && isBuilt(of) && "asks" in of;
  if (!isRound && (questionIn(of) === undefined || "of" in of)) {
    throw new InvalidAsk(
      "ask.outcome",
      `${describeValue(of)} is no question; give what ask, sample or roots make`,
    );
  }
  markUsed(of);
  return yieldable({ emit: "ask", ask: "outcome", of });
}

/** The question that a constructor made, also inside `ask.outcome`; `undefined` for anything else. */
function questionIn(entry: unknown): Question | undefined {
  if (typeof entry !== "object" || entry === null || !isBuilt(entry)) return undefined;
  if (entry.emit === "sample" || entry.emit === "roots") return entry;
  if (entry.emit !== "ask" || entry.ask === "all") return undefined;
  return entry.ask === "outcome" ? questionIn(entry.of) : entry;
}

/** Questions to a person. */
export const ask: {
  readonly text: typeof text;
  readonly number: typeof number;
  readonly rating: typeof rating;
  readonly confirm: typeof confirm;
  readonly select: typeof select;
  readonly multiselect: typeof multiselect;
  readonly date: typeof date;
  readonly secret: typeof secret;
  readonly file: typeof file;
  readonly form: typeof form;
  readonly url: typeof url;
  readonly optional: typeof optional;
  readonly all: typeof all;
  readonly outcome: typeof outcome;
} = {
  text,
  number,
  rating,
  confirm,
  select,
  multiselect,
  date,
  secret,
  file,
  form,
  url,
  optional,
  all,
  outcome,
} satisfies Record<AskKind | "optional" | "all" | "outcome", unknown>;
