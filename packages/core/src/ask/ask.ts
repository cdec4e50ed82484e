/**
 * The constructors of questions: `ask.text(…)`, `ask.confirm(…)`, ….
 *
 * They build frozen data and nothing else. `yield*` gives the answer, typed.
 */
import type { AskAll, AskOutcome, Outcome, Question } from "../effects.ts";
import { ImpossibleAsk } from "../errors.ts";
import { isPlainObject } from "../util/json.ts";
import { useEffect } from "../unyielded-effects.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { StandardSchema, ValueOf } from "../schema/standard-schema.ts";
import { show } from "../util/describe-value.ts";
import type { FieldAsk } from "./answer-schema.ts";
import { answerable, isMade, type Answerable, type AnswerTo } from "./answerable.ts";
import type { ChoicesLike, ValueIn } from "./choices.ts";
import type {
  Answers,
  AskOptions,
  ConfirmAsk,
  DateAsk,
  FileAsk,
  FormAsk,
  MultiselectAsk,
  NumberAsk,
  SecretAsk,
  SelectAsk,
  TextAsk,
  UrlAsk,
} from "../ask-types.ts";
import { makeAsk } from "./make-ask.ts";
import { idProblem } from "./refuse-impossible.ts";

/** The options of a kind: what its data holds beyond kind and message. */
type Options<Kind> = Omit<Kind, "emit" | "ask" | "message" | "options" | "schema" | "url">;

/** A field that may be left empty. */
export interface OptionalField<Answer> {
  readonly optional: Answerable<FieldAsk, Answer>;
}

/** The fields of a form, each a question. */
export interface FieldMap {
  readonly [field: string]: Answerable<FieldAsk, unknown> | OptionalField<unknown>;
}

/** What a form is answered with. */
export type FormAnswer<Fields> = Fields extends StandardSchema | { readonly type: "object" }
  ? ValueOf<Fields>
  : {
      -readonly [Name in keyof Fields]: Fields[Name] extends OptionalField<infer Answer>
        ? Answer | undefined
        : AnswerTo<Fields[Name]>;
    };

/** More than anybody answers in one go. */
const MOST_AT_ONCE = 1000;

type Askable = Answerable<Question | AskOutcome, unknown>;

function text(message: string, options: Options<TextAsk> = {}): Answerable<TextAsk, Answers["text"]> {
  return makeAsk("text", message, options);
}

function number(message: string, options: Options<NumberAsk> = {}): Answerable<NumberAsk, Answers["number"]> {
  return makeAsk("number", message, options);
}

/** `true` only where a person accepted with yes; declined is `false`. */
function confirm(
  message: string,
  options: Options<ConfirmAsk> = {},
): Answerable<ConfirmAsk, Answers["confirm"]> {
  return makeAsk("confirm", message, options);
}

function select<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<ValueIn<Choices>> = {},
): Answerable<SelectAsk<ValueIn<Choices>>, ValueIn<Choices>> {
  const made: unknown = makeAsk("select", message, { ...options, options: choices });
  // Its values are those of the choices it was made of.
  return made as ReturnType<typeof select<Choices>>;
}

function multiselect<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<readonly ValueIn<Choices>[]> & { readonly min?: number; readonly max?: number } = {},
): Answerable<MultiselectAsk<ValueIn<Choices>>, ValueIn<Choices>[]> {
  const made: unknown = makeAsk("multiselect", message, { ...options, options: choices });
  // Its values are those of the choices it was made of.
  return made as ReturnType<typeof multiselect<Choices>>;
}

function date(message: string, options: Options<DateAsk> = {}): Answerable<DateAsk, Answers["date"]> {
  return makeAsk("date", message, options);
}

function secret(message: string, options: Options<SecretAsk> = {}): Answerable<SecretAsk, Answers["secret"]> {
  return makeAsk("secret", message, options);
}

function file(message: string, options: Options<FileAsk> = {}): Answerable<FileAsk, Answers["file"]> {
  return makeAsk("file", message, options);
}

/** Several fields at once: a record of asks, a Standard Schema, or flat JSON Schema. */
function form<const Fields extends FieldMap | StandardSchema | (JsonSchema & { readonly type: "object" })>(
  message: string,
  fields: Fields,
  options: AskOptions<Record<string, unknown>, FormAnswer<NoInfer<Fields>>> = {},
): Answerable<FormAsk, FormAnswer<Fields>> {
  const made: unknown = makeAsk("form", message, { ...options, schema: fields });
  // Its answer is what the fields it was made of let through.
  return made as Answerable<FormAsk, FormAnswer<Fields>>;
}

function url(
  message: string,
  address: string,
  options: Options<UrlAsk> = {},
): Answerable<UrlAsk, Answers["url"]> {
  return makeAsk("url", message, { ...options, url: address });
}

/** Makes a field of a form one that may be left empty. */
function optional<Answer>(field: Answerable<FieldAsk, Answer>): OptionalField<Answer> {
  useEffect(field);
  return Object.freeze({ optional: field });
}

/** Several questions in one round; answered with an object of their answers. The record's keys are their ids. */
function all<const Asks extends { readonly [id: string]: Askable }>(
  asks: Asks,
): Answerable<AskAll, { -readonly [Id in keyof Asks]: AnswerTo<Asks[Id]> }> {
  const entries: readonly [string, unknown][] = isPlainObject(asks) ? Object.entries(asks) : [];
  if (entries.length === 0) throw new ImpossibleAsk("ask.all", "it has no questions");
  if (entries.length > MOST_AT_ONCE) {
    throw new ImpossibleAsk(
      "ask.all",
      `it has ${entries.length} questions; ask at most ${MOST_AT_ONCE} at once`,
    );
  }
  const named = new Set<string>();
  for (const [id, entry] of entries) {
    const question = questionIn(entry);
    const own = question?.id;
    const problem =
      idProblem(id) ??
      (question === undefined
        ? `${show(entry)} is no question; give what ask, sample or roots make`
        : undefined) ??
      (own !== undefined && named.has(own)
        ? `two of its questions have the id ${JSON.stringify(own)}`
        : undefined);
    if (problem !== undefined) throw new ImpossibleAsk(`ask.all: ${id}`, problem);
    if (own !== undefined) named.add(own);
  }
  for (const question of Object.values(asks)) useEffect(question);
  return answerable({ emit: "ask", ask: "all", asks: Object.freeze({ ...asks }) });
}

/** How a question ended, as data: `{ action, value? }`. Nothing is thrown. */
function outcome<Answer>(of: Answerable<Question | AskAll, Answer>): Answerable<AskOutcome, Outcome<Answer>> {
  const isRound = isPlainObject(of) && isMade(of) && "asks" in of;
  if (!isRound && (questionIn(of) === undefined || "of" in of)) {
    throw new ImpossibleAsk("ask.outcome", `${show(of)} is no question; give what ask, sample or roots make`);
  }
  useEffect(of);
  return answerable({ emit: "ask", ask: "outcome", of });
}

/** The question that a constructor made, also where its outcome is wanted; nothing where it is none. */
function questionIn(entry: unknown): Question | undefined {
  if (typeof entry !== "object" || entry === null || !isMade(entry)) return undefined;
  if (entry.emit === "sample" || entry.emit === "roots") return entry;
  if (entry.emit !== "ask" || entry.ask === "all") return undefined;
  return entry.ask === "outcome" ? questionIn(entry.of) : entry;
}

/** Questions to a person. */
export const ask: {
  readonly text: typeof text;
  readonly number: typeof number;
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
} = { text, number, confirm, select, multiselect, date, secret, file, form, url, optional, all, outcome };
