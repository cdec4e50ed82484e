/**
 * What the views see of everything behind them, and all that they may do with it.
 *
 * Signals hold data that is never changed in place; what has grown is a new list. Nothing in here knows the page, and no
 * view knows the wire.
 */
import type { ReadonlySignal } from "@preact/signals";
import type { WaitingRun } from "../client/waiting.ts";
import type { Connection, Settings } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import type { InboxView } from "./inbox.ts";
import type { Offer } from "./offer.ts";
import type { Answer, Question } from "./question.ts";
import type { Given, Run } from "./run.ts";

export interface Desk {
  readonly connection: ReadonlySignal<Connection>;
  readonly settings: ReadonlySignal<Settings>;
  readonly offers: ReadonlySignal<readonly Offer[]>;
  /** The newest first. */
  readonly runs: ReadonlySignal<readonly Run[]>;
  /** What people are asked just now, over all runs, the oldest first. */
  readonly questions: ReadonlySignal<readonly Question[]>;
  /** What the server keeps for whoever is here, and no run on the page shows: a page of it. */
  readonly waiting: ReadonlySignal<InboxView>;
  /** What went over the wire, the oldest first; the oldest are let go where there are too many. */
  readonly wire: ReadonlySignal<readonly Exchange[]>;
  /** How many were let go. */
  readonly wireDropped: ReadonlySignal<number>;

  call(offer: Offer, given: Given): Run;
  /** Calls the same with the same input. */
  again(run: Run): Run;
  /** Has what a kept run waits for answered here. */
  takeUp(waiting: WaitingRun): Run;
  /** Shows another page of what waits. */
  turnWaiting(to: "next" | "previous"): void;
  cancel(run: Run): void;
  /** Takes a run that is over off the page. */
  forget(run: Run): void;
  answer(question: Question, answer: Answer): void;
  /** The person has opened the page that a question sends them to. */
  visit(question: Question): void;
  /** Connects anew where that is needed. Runs that the change would end are ended. */
  change(settings: Partial<Settings>): void;
  reconnect(): void;
  clearWire(): void;
}
