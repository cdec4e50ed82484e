/** The asks of a tool, as data: one type for each kind, discriminated by `ask`. Everything else about a kind is in `asks/kinds`. */
import type { Timeout } from "./util/time.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import type { StandardSchema } from "./schema/standard-schema.ts";
import type { Secret } from "./secrets.ts";

/** The values that replace an answer, by how the question ended. Without one, the error is thrown. */
export interface Fallback<Answer> {
  readonly decline?: Answer;
  readonly cancel?: Answer;
  readonly timeout?: Answer;
  readonly unsupported?: Answer;
}

/** The options of every ask. */
export interface AskOptions<Answer, Otherwise = Answer> {
  /** Its key in answers, journals and scripts; `ask-1`, `ask-2`, … without one. */
  readonly id?: string;
  /** The name of the field it is asked in; the message without one. */
  readonly label?: string;
  readonly description?: string;
  /** A suggestion, shown to the person. Never an answer by itself. */
  readonly default?: Answer;
  /** How long it stays open. The default is 5 minutes, 7 days for durable tools, or what the host sets. */
  readonly timeout?: Timeout;
  /** How often it is asked again when the answer does not fit. The default is 0. */
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
  /** A regular expression. The server checks it, and no client shows it. */
  readonly pattern?: string;
  /** Describes the pattern to the person, as the end of a sentence: "must be a ticket like ABC-12". */
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

/** Yes or no. Only an accepted `true` is a yes; a decline is a no. */
export interface ConfirmAsk extends Asked<"confirm", boolean, false> {
  /** Clients show it as dangerous. No model relays it, and an answerer can only refuse it. */
  readonly dangerous?: boolean;
}

/** An option of a select or multiselect. */
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
  readonly min?: number;
  readonly max?: number;
}

/** A day (`2026-07-28`), or with `time` a date and time (`2026-07-28T12:00:00Z`). */
export interface DateAsk extends Asked<"date", string> {
  readonly time?: boolean;
  readonly min?: string;
  readonly max?: string;
}

/** A text that only the tool sees. Never asked for in a form. */
export interface SecretAsk extends Omit<Asked<"secret", string, Secret>, "default"> {
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** An uploaded file, or the path of one on disk. */
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

/** Asks the person to do something at a web address. */
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

/** The answer to each kind. */
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
