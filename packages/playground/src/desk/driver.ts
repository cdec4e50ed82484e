/** What moves a run: the same for the views, another one for each revision. */
import type { Client } from "../client/client.ts";
import type { News } from "../client/news.ts";
import type { Clock } from "../wire/surroundings.ts";
import type { Keeper } from "./keeper.ts";
import type { LiveRun } from "./live-run.ts";
import type { QuestionBoard } from "./question-board.ts";
import type { Answer, Question } from "./question.ts";

export interface Driver {
  readonly run: LiveRun;
  /** There is a connection, perhaps another one than before. */
  connected(client: Client): void;
  told(news: News): void;
  answer(question: Question, answer: Answer): void;
  visit(question: Question): void;
  cancel(): void;
}

/** What every run shares. */
export interface Shared {
  readonly board: QuestionBoard;
  readonly keeper: Keeper;
  readonly clock: Clock;
  /** The connection, while there is one. */
  readonly client: () => Client | undefined;
}

/** Different from every other on the page, and from those that were there before a reload. */
export function newId(): string {
  // Not `randomUUID`, which a page has only where it came over HTTPS or from this machine.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a question is answered on a page of the server's own: what is typed there does not pass through this one. */
export const isForPage = ({ wanted, details }: Question): boolean =>
  wanted.by === "url" && (details.ask === "secret" || details.ask === "file");
