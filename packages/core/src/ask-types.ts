/**
 * The questions a tool can put to a person, as data.
 *
 * One type a kind, discriminated by `ask`. What each is answered with stands in
 * `Answers`. How they are made is in the files beside this one, what is a
 * fitting answer in `check-answer.ts`.
 */
import type { Timeout } from "./util/time.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import type { StandardSchema } from "./schema/standard-schema.ts";
import type { Secret } from "./secrets.ts";

/** What to go on with where there is no answer. Nothing falls back unless the author said so. */
export interface Fallback<Answer> {
  readonly decline?: Answer;
  readonly cancel?: Answer;
  readonly timeout?: Answer;
  readonly unsupported?: Answer;
}

/** What every question may say about itself. */
export interface AskOptions<Answer, Otherwise = Answer> {
  /** Its key in answers, journals and scripts; `ask-1`, `ask-2`, … without one. */
  readonly id?: string;
  /** The name of the field it is asked in; the message without one. */
  readonly label?: string;
  readonly description?: string;
  /** A suggestion, shown to the person. Never an answer by itself. */
  readonly default?: Answer;
  /** How long it stays open: 5 minutes, 7 days for durable tools, or what the host says. */
  readonly timeout?: Timeout;
  /** How often it is asked again when the answer does not fit: 0. */
  readonly retries?: number;
  readonly fallback?: Fallback<Otherwise>;
}

interface Asked<Kind extends string, Answer, Otherwise = Answer> extends AskOptions<Answer, Otherwise> {
  readonly emit: "ask";
  readonly ask: Kind;
  readonly message: string;
}

export type TextFormat = "email" | "uri" | "date" | "date-time";

/** A line of text. */
export interface TextAsk extends Asked<"text", string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression, checked on our side and never shown. */
  readonly pattern?: string;
  /** What is said to the person of the pattern, as the end of a sentence: "must be a ticket like ABC-12". */
  readonly patternMessage?: string;
  readonly format?: TextFormat;
}

export interface NumberAsk extends Asked<"number", number> {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}

/** How many stars a rating can have. */
export type RatingMax = 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** The answers to a rating of so many stars: `1 | 2 | 3` for 3. */
export type RatingValue<
  Max extends RatingMax,
  Counted extends readonly unknown[] = [unknown],
> = Max extends unknown
  ? Counted["length"] extends Max
    ? Max
    : Extract<Counted["length"], number> | RatingValue<Max, [...Counted, unknown]>
  : never;

/** One to `max` stars. */
export interface RatingAsk<Max extends RatingMax = RatingMax> extends Asked<"rating", RatingValue<Max>> {
  readonly max: Max;
}

/** Yes or no. Declined is no; yes is nothing but an accepted `true`. */
export interface ConfirmAsk extends Asked<"confirm", boolean, false> {
  /** Shown as dangerous, and never relayed. Answerers may refuse it, and not confirm it. */
  readonly dangerous?: boolean;
}

/** One of the things to choose from. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly title: string;
  readonly description?: string;
}

export interface SelectAsk<Value extends string = string> extends Asked<"select", Value> {
  readonly options: readonly Choice<Value>[];
}

export interface MultiselectAsk<Value extends string = string> extends Asked<
  "multiselect",
  readonly Value[]
> {
  readonly options: readonly Choice<Value>[];
  /** At least so many. */
  readonly min?: number;
  /** At most so many. */
  readonly max?: number;
}

/** A day (`2026-07-28`), or a moment (`2026-07-28T12:00:00Z`). */
export interface DateAsk extends Asked<"date", string> {
  readonly time?: boolean;
  readonly min?: string;
  readonly max?: string;
}

/** Something nobody else may see. Never carried by a form. */
export interface SecretAsk extends Omit<Asked<"secret", string, Secret>, "default"> {
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A file, as it was uploaded or as it lies on disk. */
export type FileAnswer = { readonly name: string; readonly type: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly path: string }
);

export interface FileAsk extends Omit<Asked<"file", FileAnswer>, "default"> {
  /** Media types (`image/png`, `image/*`) or endings (`.pdf`). */
  readonly accept?: readonly string[];
  readonly maxBytes?: number;
}

/** The fields of a form as flat JSON Schema, and the Standard Schema behind it if the author gave one. */
export type FormSchema = JsonSchema & {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly "~standard"?: StandardSchema["~standard"];
};

/** Several fields at once. */
export interface FormAsk extends Asked<"form", { readonly [field: string]: unknown }> {
  readonly schema: FormSchema;
}

/** Something to be done at a web address. */
export interface UrlAsk extends Omit<Asked<"url", undefined>, "default"> {
  readonly url: string;
}

/** A question to a person. */
export type Ask =
  | TextAsk
  | NumberAsk
  | RatingAsk
  | ConfirmAsk
  | SelectAsk
  | MultiselectAsk
  | DateAsk
  | SecretAsk
  | FileAsk
  | FormAsk
  | UrlAsk;

export type AskKind = Ask["ask"];

/** An ask that one field of a form can carry. */
export type FieldAsk = Exclude<Ask, SecretAsk | FileAsk | FormAsk | UrlAsk>;

/** What each kind of question is answered with. */
export interface Answers {
  readonly text: string;
  readonly number: number;
  readonly rating: RatingValue<RatingMax>;
  readonly confirm: boolean;
  readonly select: string;
  readonly multiselect: string[];
  readonly date: string;
  readonly secret: Secret;
  readonly file: FileAnswer;
  readonly form: Record<string, unknown>;
  readonly url: void;
}
