/**
 * A scenario: one call of a tool of the kitchen sink with its answers, as data for every client, `photon run` and the test kit.
 *
 * Answers are as in an answers file of `photon run`: by the key of the question, plain values, `{ $attempts: […] }` for
 * one after another, `{ $action }` for a non-answer.
 */
import type { Client, Root } from "@photon/core";

export type NonAnswer = "decline" | "cancel" | "timeout";

/** The changes in the data folder, by path; null for a file that was deleted. Every other path is unchanged. */
export type Changes = Readonly<Record<string, unknown>>;

/** How a tool ends. */
export interface Ending {
  /** A part of its text. */
  readonly says: string;
  /** The types of its content, as in MCP; by default one text, or any for an error. */
  readonly gives?: readonly string[];
  readonly isError?: boolean;
  readonly changes?: Changes;
}

export interface Scenario extends Ending {
  readonly tool: string;
  /** What it shows: the end of the title of the test. */
  readonly shows: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly answers?: Readonly<Record<string, unknown>>;
  /** The response of the client's model. */
  readonly model?: string;
  /** The roots of the client. */
  readonly roots?: readonly Root[];
  /** Capabilities that the client lacks. Such a scenario is for the test kit alone. */
  readonly can?: Partial<Client["can"]>;
  /** A scenario that runs before, in the same studio. */
  readonly after?: Scenario | undefined;
  /** Questions that a command line has to name, because they are dangerous. */
  readonly typed?: readonly string[];
  /** Questions of one round. In 2026-07-28, a timeout of one is a timeout of all. */
  readonly together?: readonly string[];
  /** How it ends if a question has no answer; by default with the error of the non-answer, and without changes. */
  readonly otherwise?: Readonly<Record<string, { readonly [action in NonAnswer]?: Ending }>>;
}
