/**
 * One way through a tool of the kitchen sink, as data: for every client, for `photon run`, and for the test kit.
 *
 * Answers are as in an answers file of `photon run`: by the key of the question, plain values, `{ $attempts: […] }` for
 * one after another, `{ $action }` for what is none.
 */
import type { Client, Root } from "@photon/core";

export type NonAnswer = "decline" | "cancel" | "timeout";

/** What has changed in the data folder, by path; null for what is gone. Every other path is as it was. */
export type Changes = Readonly<Record<string, unknown>>;

/** How a tool ends. */
export interface Ending {
  /** A part of what it says. */
  readonly says: string;
  /** The kinds of content it gives, as MCP spells them; without this one text, or whatever an error comes with. */
  readonly gives?: readonly string[];
  readonly isError?: boolean;
  readonly changes?: Changes;
}

export interface Performance extends Ending {
  readonly tool: string;
  /** What it shows, within a sentence. */
  readonly shows: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly answers?: Readonly<Record<string, unknown>>;
  /** What the client's model says. */
  readonly model?: string;
  /** Where the client works. */
  readonly roots?: readonly Root[];
  /** What the client cannot do. Such a performance is for the test kit alone. */
  readonly can?: Partial<Client["can"]>;
  /** A performance that comes before, in the same studio. */
  readonly after?: Performance | undefined;
  /** Questions that a command line has to name, because a yes is dangerous. */
  readonly typed?: readonly string[];
  /** Questions of one round, which 2026-07-28 answers as a whole: when time is over for one, it is over for all. */
  readonly together?: readonly string[];
  /** How it ends where a question has no answer: with the error that says so, and with nothing changed, unless it says otherwise. */
  readonly otherwise?: Readonly<Record<string, { readonly [action in NonAnswer]?: Ending }>>;
}
