import type { JsonSchema } from "./offer.ts";

/** Something a person is asked. */
export interface Question {
  /** Different from every other on the page. */
  readonly id: string;
  readonly runId: string;
  /** What is called, for those who answer many. */
  readonly asker: string;
  /** The question's key in its run. */
  readonly key: string;
  readonly message: string;
  readonly wanted: Wanted;
  /** What Photon knows beyond what a form says; a server of another make says nothing of it. */
  readonly details: Details;
  /** What was called, where that was done elsewhere: nothing else on the page tells. */
  readonly about?: About;
  /** When it was put, in milliseconds. */
  readonly since: number;
  /** Which of how many in its round this is, from 1. */
  readonly place: number;
  readonly places: number;
  /** Set while an answer is on its way, or while somebody fills in a page. */
  readonly waitsFor?: "server" | "page";
}

export type Wanted =
  | { readonly by: "form"; readonly schema: JsonSchema }
  | { readonly by: "url"; readonly url: string }
  /** What is typed or given on a page of the server's own, to which only its client is sent. */
  | { readonly by: "page" }
  /** The tool wants a model to speak; whoever is here speaks for it. */
  | { readonly by: "sample"; readonly params: { readonly [name: string]: unknown } };

/** What a server tells of a call that it keeps. */
export interface About {
  readonly description?: string;
  /** What it was called with, without secrets, and cut where it is long. */
  readonly input?: unknown;
}

export interface Details {
  /** text, number, confirm, select, multiselect, date, form, secret, file or url. */
  readonly ask?: string;
  readonly dangerous?: boolean;
  /** What the tool's author adds to the message. */
  readonly description?: string;
  /** When it stops being open, in milliseconds. */
  readonly deadline?: number;
  /** What was wrong with the last answer, where it is asked again. */
  readonly hint?: string;
  readonly attempt?: number;
  /** What an option means, by its value. */
  readonly options?: { readonly [value: string]: string };
  /** Bounds and patterns that a form cannot say, as JSON Schema, by field. */
  readonly bounds?: { readonly [field: string]: JsonSchema };
}

export type Answer =
  | { readonly action: "accept"; readonly content?: { readonly [field: string]: unknown } }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };
