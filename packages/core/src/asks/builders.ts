/**
 * The constructors of questions: `ask.text(…)`, `ask.confirm(…)`, ….
 *
 * They build frozen data and nothing else. `yield*` gives the answer, typed.
 */
import type { AskAll, AskEffect, AskOutcome, Effect, Outcome, Question, Step } from "../effects.ts";
import { InvalidAsk } from "../errors.ts";
import { frozenCopy, isPlainObject } from "../util/json.ts";
import { trackEffect, markUsed } from "../unyielded-effects.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { StandardSchema, ValueOf } from "../schema/standard-schema.ts";
import { describeValue } from "../util/describe-value.ts";
import type { FieldAsk } from "./answer-schema.ts";
import type {
  Answers,
  Ask,
  AskKind,
  AskOptions,
  Choice,
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
import { idProblem, assertValidAsk } from "./validate-ask.ts";
import { readFormSchema } from "./form-schema.ts";

/** The options of a kind: what its data holds beyond kind and message. */
type Options<Kind> = Omit<Kind, "emit" | "ask" | "message" | "options" | "schema" | "url">;

/** A field that may be left empty. */
export interface OptionalField<Answer> {
  readonly optional: Yieldable<FieldAsk, Answer>;
}

/** The fields of a form, each a question. */
export interface FieldMap {
  readonly [field: string]: Yieldable<FieldAsk, unknown> | OptionalField<unknown>;
}

/** What a form is answered with. */
export type FormAnswer<Fields> = Fields extends StandardSchema | { readonly type: "object" }
  ? ValueOf<Fields>
  : {
      -readonly [Name in keyof Fields]: Fields[Name] extends OptionalField<infer Answer>
        ? Answer | undefined
        : AnswerOf<Fields[Name]>;
    };

/** More than anybody answers in one go. */
const MOST_AT_ONCE = 1000;

type Askable = Yieldable<Question | AskOutcome, unknown>;

function text(message: string, options: Options<TextAsk> = {}): Yieldable<TextAsk, Answers["text"]> {
  return makeAsk("text", message, options);
}

function number(message: string, options: Options<NumberAsk> = {}): Yieldable<NumberAsk, Answers["number"]> {
  return makeAsk("number", message, options);
}

/** `true` only where a person accepted with yes; declined is `false`. */
function confirm(
  message: string,
  options: Options<ConfirmAsk> = {},
): Yieldable<ConfirmAsk, Answers["confirm"]> {
  return makeAsk("confirm", message, options);
}

function select<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<ValueIn<Choices>> = {},
): Yieldable<SelectAsk<ValueIn<Choices>>, ValueIn<Choices>> {
  const made: unknown = makeAsk("select", message, { ...options, options: choices });
  // Its values are those of the choices it was made of.
  return made as ReturnType<typeof select<Choices>>;
}

function multiselect<const Choices extends ChoicesLike>(
  message: string,
  choices: Choices,
  options: AskOptions<readonly ValueIn<Choices>[]> & { readonly min?: number; readonly max?: number } = {},
): Yieldable<MultiselectAsk<ValueIn<Choices>>, ValueIn<Choices>[]> {
  const made: unknown = makeAsk("multiselect", message, { ...options, options: choices });
  // Its values are those of the choices it was made of.
  return made as ReturnType<typeof multiselect<Choices>>;
}

function date(message: string, options: Options<DateAsk> = {}): Yieldable<DateAsk, Answers["date"]> {
  return makeAsk("date", message, options);
}

function secret(message: string, options: Options<SecretAsk> = {}): Yieldable<SecretAsk, Answers["secret"]> {
  return makeAsk("secret", message, options);
}

function file(message: string, options: Options<FileAsk> = {}): Yieldable<FileAsk, Answers["file"]> {
  return makeAsk("file", message, options);
}

/** Several fields at once: a record of asks, a Standard Schema, or flat JSON Schema. */
function form<const Fields extends FieldMap | StandardSchema | (JsonSchema & { readonly type: "object" })>(
  message: string,
  fields: Fields,
  options: AskOptions<Record<string, unknown>, FormAnswer<NoInfer<Fields>>> = {},
): Yieldable<FormAsk, FormAnswer<Fields>> {
  const made: unknown = makeAsk("form", message, { ...options, schema: fields });
  // Its answer is what the fields it was made of let through.
  return made as Yieldable<FormAsk, FormAnswer<Fields>>;
}

function url(
  message: string,
  address: string,
  options: Options<UrlAsk> = {},
): Yieldable<UrlAsk, Answers["url"]> {
  return makeAsk("url", message, { ...options, url: address });
}

/** Makes a field of a form one that may be left empty. */
function optional<Answer>(field: Yieldable<FieldAsk, Answer>): OptionalField<Answer> {
  markUsed(field);
  return Object.freeze({ optional: field });
}

/** Several questions in one round; answered with an object of their answers. The record's keys are their ids. */
function all<const Asks extends { readonly [id: string]: Askable }>(
  asks: Asks,
): Yieldable<AskAll, { -readonly [Id in keyof Asks]: AnswerOf<Asks[Id]> }> {
  const entries: readonly [string, unknown][] = isPlainObject(asks) ? Object.entries(asks) : [];
  if (entries.length === 0) throw new InvalidAsk("ask.all", "it has no questions");
  if (entries.length > MOST_AT_ONCE) {
    throw new InvalidAsk(
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

/** The question that a constructor made, also where its outcome is wanted; nothing where it is none. */
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

/** The one place where a question of any kind is made: from a constructor, or from raw data. */

/** What every question may say. */
const COMMON: { readonly [Option in Exclude<keyof AskOptions<unknown>, "default">]: true } = {
  id: true,
  label: true,
  description: true,
  timeout: true,
  retries: true,
  fallback: true,
};

/** What a kind may say beyond that. */
type OwnField<Kind extends AskKind> = Exclude<
  keyof Extract<Ask, { ask: Kind }>,
  "emit" | "ask" | "message" | keyof typeof COMMON
>;

const FIELDS: { readonly [Kind in AskKind]: { readonly [Field in OwnField<Kind>]: true } } = {
  text: {
    default: true,
    minLength: true,
    maxLength: true,
    pattern: true,
    patternMessage: true,
    format: true,
  },
  number: { default: true, min: true, max: true, integer: true },
  confirm: { default: true, dangerous: true },
  select: { default: true, options: true },
  multiselect: { default: true, options: true, min: true, max: true },
  date: { default: true, time: true, min: true, max: true },
  secret: { minLength: true, maxLength: true },
  file: { accept: true, maxBytes: true },
  form: { default: true, schema: true },
  url: { url: true },
};

/** What an author may go on changing after it was given. */
const COPIED = new Set(["default", "fallback", "accept"]);

/** Every kind of question, by the name it has in `ask`. */
// The keys are those of the record above, which has one for each kind.
export const askKinds: readonly AskKind[] = Object.keys(FIELDS) as AskKind[];

/** Makes a question, or refuses it in the author's words. */
export function makeAsk<Kind extends AskKind>(
  kind: Kind,
  message: string,
  given: object,
): Yieldable<Extract<Ask, { ask: Kind }>, Answers[Kind]> {
  const fields: Record<string, unknown> = { emit: "ask", ask: kind, message };
  const own: object = FIELDS[kind];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(own, name) && !Object.hasOwn(COMMON, name)) {
      const names = Object.keys({ ...own, ...COMMON }).join(", ");
      throw new InvalidAsk(message, `ask.${kind} has no ${JSON.stringify(name)}; it has ${names}`);
    }
    fields[name] = COPIED.has(name) ? frozenCopy(value) : value;
  }
  if (kind === "select" || kind === "multiselect")
    fields["options"] = readChoices(fields["options"], message);
  if (kind === "form") fields["schema"] = readFormSchema(fields["schema"], message);
  // Every field is known by name, and `refuseImpossible` looks at their values.
  const built = fields as unknown as Extract<Ask, { ask: Kind }>;
  assertValidAsk(built);
  return yieldable(built);
}

interface ChoiceLike {
  readonly value: string;
  readonly title?: string;
  readonly label?: string;
  readonly description?: string;
}

/** What to choose from: values, values with titles, or a record from value to title. */
export type ChoicesLike =
  | readonly (string | ChoiceLike)[]
  | { readonly [value: string]: string | { readonly title: string; readonly description?: string } };

/** The values there are to choose from. */
export type ValueIn<Choices extends ChoicesLike> = Choices extends readonly (infer One)[]
  ? One extends { readonly value: infer Value extends string }
    ? Value
    : One & string
  : keyof Choices & string;

/** Reads what an author gave to choose from, in the order given. */
function readChoices(given: unknown, question: string): readonly Choice[] {
  const choices = Array.isArray(given)
    ? given.map((one: unknown) => readChoice(one, question))
    : isPlainObject(given)
      ? Object.entries(given).map(([value, title]) => readTitled(value, title, question))
      : refuse(given, question);
  const values = new Set(choices.map(({ value }) => value));
  if (choices.length === 0) throw new InvalidAsk(question, "it has no options");
  if (values.size < choices.length) throw new InvalidAsk(question, "two of its options have the same value");
  return Object.freeze(choices);
}

function readChoice(given: unknown, question: string): Choice {
  if (typeof given === "string") return Object.freeze({ value: given, title: given });
  if (!isPlainObject(given) || typeof given["value"] !== "string") return refuse(given, question);
  const title = given["title"] ?? given["label"] ?? given["value"];
  return readTitled(given["value"], { ...given, title }, question);
}

function readTitled(value: string, given: unknown, question: string): Choice {
  if (typeof given === "string") return Object.freeze({ value, title: given });
  if (!isPlainObject(given) || typeof given["title"] !== "string") return refuse(given, question);
  const { title, description } = given;
  return Object.freeze({ value, title, ...(typeof description === "string" ? { description } : {}) });
}

function refuse(given: unknown, question: string): never {
  throw new InvalidAsk(
    question,
    `its options are strings, { value, title } or a record from value to title, not ${describeValue(given)}`,
  );
}

/** A question as data that also takes `yield*`, which hands back its answer, typed. */
export type Yieldable<Asked, Answer> = Asked & {
  [Symbol.iterator](): Iterator<Asked, Answer, unknown>;
};

/** What `yield*` gives back for a question. */
export type AnswerOf<Asked> = Asked extends {
  [Symbol.iterator](): Iterator<unknown, infer Answer, unknown>;
}
  ? Answer
  : never;

// A constructor may give back another object than its own; the fields of a class that extends it are put there.
const Given = function (given: object): object {
  return given;
} as unknown as new (given: object) => object;

/**
 * What constructors have made, and so have checked, has a field that nobody sees, copies or makes but here. Data that
 * only looks alike has none. A set of all that was made would say the same, and be a burden to the garbage collector.
 */
class BuiltBrand extends Given {
  readonly #isMade = true;

  static has(value: object): boolean {
    return #isMade in value && value.#isMade;
  }
}

export const isBuilt = (value: unknown): value is Effect =>
  typeof value === "object" && value !== null && BuiltBrand.has(value);

export const brandBuilt = (effect: Effect): void => void new BuiltBrand(effect);

/** Freezes a question and makes `yield* question` hand back the answer; `yield question` works too, untyped. */
export function yieldable<Asked extends AskEffect | Step, Answer>(question: Asked): Yieldable<Asked, Answer> {
  Object.defineProperty(question, Symbol.iterator, iterator);
  Object.defineProperty(question, Symbol.asyncIterator, asyncIterator);
  brandBuilt(question);
  trackEffect(question);
  // The iterator was defined above; the type system does not see `defineProperty`.
  return Object.freeze(question) as Yieldable<Asked, Answer>;
}

/** One for all questions in generators that are not async: yields the question once and returns what it is resumed with. */
const iterator: PropertyDescriptor = {
  *value(this: object): Generator<unknown, unknown, unknown> {
    markUsed(this);
    return yield this;
  },
};

/** The same for async generators, which take fewer microtasks to continue after it than after an iterator. */
const asyncIterator: PropertyDescriptor = {
  value(this: object): AsyncIterator<unknown, unknown, unknown> {
    return new OneQuestion(this);
  },
};

class OneQuestion implements AsyncIterator<unknown, unknown, unknown> {
  #question: object | undefined;

  constructor(question: object) {
    this.#question = question;
  }

  next(answer: unknown): Promise<IteratorResult<unknown, unknown>> {
    const question = this.#question;
    if (question === undefined) return Promise.resolve({ done: true, value: answer });
    this.#question = undefined;
    markUsed(question);
    return Promise.resolve({ done: false, value: question });
  }

  throw(error: unknown): Promise<never> {
    // Rejects with what was thrown, which need not be an Error.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    return Promise.reject(error);
  }

  return(value: unknown): Promise<IteratorResult<unknown, unknown>> {
    return Promise.resolve({ done: true, value });
  }
}
