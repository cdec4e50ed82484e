import type { ReadonlySignal } from "@preact/signals";
import type { Offer } from "./offer.ts";
import type { Answer, Question } from "./question.ts";
import type { Revision } from "./connection.ts";

/** What something is called with: a tool's input, a prompt's arguments, a template's variables. */
export type Given = { readonly [name: string]: unknown };

/** One call and everything that came of it. */
export interface Run {
  readonly id: string;
  readonly offer: Offer;
  readonly given: Given;
  readonly revision: Revision;
  readonly began: number;
  /** Whether a server has kept it for somebody, and it was not called here: `given` is what the server tells of its input. */
  readonly isTakenUp: boolean;
  readonly state: ReadonlySignal<RunState>;
  readonly progress: ReadonlySignal<Progress | undefined>;
  /** In the order it happened. Grows often: at most once per frame. */
  readonly timeline: ReadonlySignal<readonly Entry[]>;
}

export type RunState =
  | { readonly state: "running" }
  | { readonly state: "asking" }
  /** The connection was lost; it goes on when there is one again. */
  | { readonly state: "waiting"; readonly why: string }
  | { readonly state: "done"; readonly ended: number }
  /** The tool said so itself (`isError`), or the protocol did. */
  | { readonly state: "failed"; readonly ended: number; readonly problem: string }
  | { readonly state: "cancelled"; readonly ended: number; readonly why: string };

export interface Progress {
  /** Between 0 and 1, where it is known how much there is. */
  readonly part: number | undefined;
  readonly message: string;
}

/** Something that happened in a run. */
export type Entry = { readonly at: number; readonly id: number } & (
  | { readonly kind: "status"; readonly message: string }
  | { readonly kind: "log"; readonly level: string; readonly logger: string; readonly data: unknown }
  | { readonly kind: "step"; readonly step: string; readonly state: "begun" | "done" | "failed" }
  | { readonly kind: "asked"; readonly question: Question }
  | { readonly kind: "answered"; readonly question: Question; readonly answer: Answer }
  /** The server has taken a question back, or nobody could answer it any more. */
  | { readonly kind: "withdrawn"; readonly question: Question; readonly why: string }
  | { readonly kind: "note"; readonly message: string }
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "error"; readonly message: string; readonly code?: number; readonly data?: unknown }
);

export interface Result {
  readonly isError: boolean;
  readonly content: readonly Content[];
  readonly structured?: unknown;
}

/** A piece of a result, as any of the protocol's revisions spells it; what the page does not know it shows as JSON. */
export type Content =
  | { readonly type: "text"; readonly text: string; readonly role?: string }
  | {
      readonly type: "image" | "audio";
      readonly data: string;
      readonly mimeType: string;
      readonly role?: string;
    }
  | { readonly type: "link"; readonly uri: string; readonly name: string; readonly description?: string }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly blob?: string;
      readonly role?: string;
    }
  | { readonly type: "other"; readonly value: unknown };
