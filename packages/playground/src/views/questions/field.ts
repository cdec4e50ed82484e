import type { Draft } from "./draft.ts";

/** One thing that a question wants to know, as it is asked for. */
export type Field = {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
  /** What is there before anybody has typed. */
  readonly suggestion: Draft;
} & FieldKind;

export type FieldKind =
  | {
      readonly kind: "text";
      readonly format?: string;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly pattern?: string;
      /** What fits the pattern, in the author's words. */
      readonly patternMessage?: string;
      /** Wants more than a line. */
      readonly long: boolean;
    }
  | {
      readonly kind: "number";
      readonly integer: boolean;
      readonly min?: number;
      readonly max?: number;
      /** It must be more than this. */
      readonly above?: number;
      /** It must be less than this. */
      readonly below?: number;
    }
  /** Stars, from 1 to `max`. */
  | { readonly kind: "rating"; readonly max: number }
  | { readonly kind: "yes-no" }
  | { readonly kind: "choice"; readonly choices: readonly Choice[] }
  | {
      readonly kind: "choices";
      readonly choices: readonly Choice[];
      readonly min?: number;
      readonly max?: number;
    }
  | {
      readonly kind: "date";
      readonly time: boolean;
      readonly min?: string;
      readonly max?: string;
      readonly pattern?: string;
      /** What fits the pattern, in the author's words. */
      readonly patternMessage?: string;
    }
  /** Something that forms have no box for. */
  | { readonly kind: "json" };

export interface Choice {
  readonly value: string;
  readonly title: string;
  readonly description?: string;
}

export type FieldOf<K extends Field["kind"]> = Extract<Field, { readonly kind: K }>;
