/** A run as the views see it, and how it comes to be so. */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { News } from "../client/news.ts";
import { resultFrom, sentenceOf } from "../client/result-from.ts";
import type { Fault } from "../wire/message.ts";
import type { Fields } from "../wire/record.ts";
import type { Surroundings } from "../wire/surroundings.ts";
import type { Revision } from "./connection.ts";
import type { Offer } from "./offer.ts";
import type { Entry, Given, Progress, Run, RunState } from "./run.ts";
import { Timeline, type Happened } from "./timeline.ts";

/** Which run it is, and what there is of it already. */
export interface Beginning extends Pick<Run, "id" | "offer" | "given" | "revision" | "began"> {
  readonly entries?: readonly Entry[];
  readonly isTakenUp?: boolean;
}

export class LiveRun implements Run {
  readonly id: string;
  readonly offer: Offer;
  readonly given: Given;
  readonly revision: Revision;
  readonly began: number;
  readonly isTakenUp: boolean;
  readonly #now: () => number;
  readonly #onFrame: (callback: () => void) => void;
  readonly #timeline: Timeline;
  readonly #state = signal<RunState>({ state: "running" });
  readonly #progress = signal<Progress | undefined>(undefined);
  readonly #storedAs = signal<string | undefined>(undefined);
  /** The last that was told, and shown at the next frame. */
  #told: Progress | undefined;
  #isScheduled = false;

  constructor(beginning: Beginning, { clock, onFrame }: Pick<Surroundings, "clock" | "onFrame">) {
    const { id, offer, given, revision, began, entries, isTakenUp = false } = beginning;
    this.id = id;
    this.offer = offer;
    this.given = given;
    this.revision = revision;
    this.began = began;
    this.isTakenUp = isTakenUp;
    this.#now = () => clock.now();
    this.#onFrame = onFrame;
    this.#timeline = new Timeline(this.#now, onFrame, entries);
  }

  get state(): ReadonlySignal<RunState> {
    return this.#state;
  }

  get progress(): ReadonlySignal<Progress | undefined> {
    return this.#progress;
  }

  get timeline(): ReadonlySignal<readonly Entry[]> {
    return this.#timeline.shown;
  }

  /** What the inbox of the server calls it, where that is known. */
  get storedAs(): string | undefined {
    return this.#storedAs.value;
  }

  set storedAs(name: string | undefined) {
    this.#storedAs.value = name;
  }

  /** Everything that has happened, up to now. */
  get entries(): readonly Entry[] {
    this.#timeline.show();
    return this.#timeline.shown.value;
  }

  get isOver(): boolean {
    const { state } = this.#state.value;
    return state === "done" || state === "failed" || state === "cancelled";
  }

  add(happened: Happened): void {
    this.#timeline.add(happened);
  }

  /** What is told while it is under way. */
  hear(news: News): void {
    if (this.isOver) return;
    if (news.kind !== "progress") return this.add(news);
    // While somebody is asked, a server only shows that it is alive.
    if (this.#state.value.state !== "running") return;
    const { part, message } = news.progress;
    const before = this.#told;
    this.#told = { part: part ?? before?.part, message: message === "" ? (before?.message ?? "") : message };
    if (message !== "") this.add({ kind: "status", message });
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#onFrame(() => this.#show());
  }

  is(state: Extract<RunState, { state: "running" | "asking" | "waiting" }>): void {
    const isSame = state.state !== "waiting" && state.state === this.#state.value.state;
    if (this.isOver || isSame) return;
    this.#state.value = state;
    this.#show();
  }

  finish(method: string, fields: Fields): void {
    if (this.isOver) return;
    const result = resultFrom(method, fields);
    this.add({ kind: "result", result });
    this.#end(
      result.isError
        ? { state: "failed", ended: this.#now(), problem: sentenceOf(result) }
        : { state: "done", ended: this.#now() },
    );
  }

  fail({ code, message, data }: Partial<Fault> & Pick<Fault, "message">): void {
    if (this.isOver) return;
    this.add({
      kind: "error",
      message,
      ...(code === undefined ? {} : { code }),
      ...(data === undefined ? {} : { data }),
    });
    this.#end({ state: "failed", ended: this.#now(), problem: message });
  }

  cancel(why: string): void {
    if (this.isOver) return;
    this.add({ kind: "note", message: why });
    this.#end({ state: "cancelled", ended: this.#now(), why });
  }

  #end(state: RunState): void {
    this.#state.value = state;
    this.#show();
  }

  /** Shows what there is now: at a frame, or when it has come to something that somebody waits for. */
  #show(): void {
    this.#isScheduled = false;
    this.#progress.value = this.#told;
    this.#timeline.show();
  }
}
