/**
 * A run that a server keeps, and somebody here answers: its client is another one, or gone.
 *
 *   1. What is said goes to the inbox, question by question. The first answer counts, whoever gave it.
 *   2. An answer that does not fit is given back with what is wrong with it; nothing of what was typed is lost.
 *   3. Nothing of it is kept here: after a reload it waits where it did.
 */
import type { InboxClient, Receipt, Said, Standing } from "../client/inbox-client.ts";
import type { WaitingQuestion, WaitingRun } from "../client/waiting.ts";
import type { Fields } from "../wire/record.ts";
import { newId, type Driver, type Shared } from "./driver.ts";
import type { LiveRun } from "./live-run.ts";
import type { About, Answer, Question } from "./question.ts";

const GONE = "It was answered elsewhere, or waits for nobody any more.";

export class InboxDriver implements Driver {
  readonly run: LiveRun;
  readonly #name: string;
  readonly #about: { readonly about?: About };
  readonly #inbox: InboxClient;
  readonly #shared: Pick<Shared, "board" | "clock">;
  /** What was said since somebody looked makes what they saw old. */
  #turn = 0;
  /** Something has changed: it should be looked at soon. */
  readonly #stirred: () => void;

  constructor(
    run: LiveRun,
    waiting: WaitingRun,
    inbox: InboxClient,
    shared: Pick<Shared, "board" | "clock">,
    stirred: () => void,
  ) {
    this.run = run;
    this.#name = waiting.run;
    this.#about = waiting.about === undefined ? {} : { about: waiting.about };
    this.#inbox = inbox;
    this.#shared = shared;
    this.#stirred = stirred;
    run.storedAs = waiting.run;
    this.#ask(waiting.questions, waiting.since);
  }

  /** Whether the server is at it, and nobody is asked. */
  get isWorking(): boolean {
    return !this.run.isOver && this.run.state.value.state === "running";
  }

  connected(): void {
    if (!this.run.isOver) this.#stirred();
  }

  told(): void {}

  visit(question: Question): void {
    this.#shared.board.waits(question, "page");
  }

  answer({ id }: Question, answer: Answer): void {
    const question = this.#shared.board.find(id);
    if (question === undefined || question.waitsFor === "server") return;
    this.#turn += 1;
    this.#shared.board.waits(question, "server");
    void this.#send(question, answer);
  }

  /** Leaves it as it is: it waits on, for whoever answers it. */
  cancel(): void {
    this.#end(() => this.run.cancel("It was left here, and waits where it did."));
  }

  /** Looks what has become of it. */
  async look(): Promise<void> {
    const turn = this.#turn;
    const standing = await this.#inbox.look(this.#name).catch(() => undefined);
    if (standing !== undefined && turn === this.#turn && !this.run.isOver) this.#stands(standing);
  }

  async #send(question: Question, answer: Answer): Promise<void> {
    const receipt = await this.#inbox
      .answer(this.#name, saidBy(question, answer))
      .catch((problem: unknown): Receipt => ({ kind: "refused", problem: String(problem) }));
    this.#heard(question, answer, receipt);
    this.#stirred();
  }

  #stands(standing: Standing): void {
    switch (standing.state) {
      case "asks":
        return this.#ask(standing.questions, this.#shared.clock.now());
      case "ended":
        return this.#end(() => this.run.finish(methodOf(standing.result), standing.result));
      case "failed":
        return this.#end(() => this.run.fail({ message: standing.message }));
      case "gone":
        return this.#end(() => this.run.cancel("The server keeps nothing of it any more."));
      default:
        return standing satisfies never;
    }
  }

  #heard(question: Question, answer: Answer, receipt: Receipt): void {
    if (this.run.isOver) return;
    this.#turn += 1;
    const { board } = this.#shared;
    board.take(({ id }) => id === question.id);
    if (receipt.kind === "taken") this.run.add({ kind: "answered", question, answer });
    else if (receipt.kind === "late") this.run.add({ kind: "withdrawn", question, why: receipt.problem });
    else {
      const { waitsFor: _, ...open } = question;
      const hint = `was not taken: ${receipt.problem.replace(/\.$/, "")}`;
      board.put([{ ...open, details: { ...open.details, hint } }]);
    }
    this.#settle();
  }

  #ask(asked: readonly WaitingQuestion[], since: number): void {
    const { board } = this.#shared;
    const isAskedStill = (open: Question): boolean => asked.some((one) => isSame(one, open));
    const before = board.of(this.run.id);
    for (const question of before.filter((open) => open.waitsFor !== "server" && !isAskedStill(open))) {
      board.take(({ id }) => id === question.id);
      this.run.add({ kind: "withdrawn", question, why: GONE });
    }
    const fresh = asked.flatMap((one, index): readonly Question[] => {
      if (before.some((open) => isSame(one, open))) return [];
      const { id: runId, offer } = this.run;
      const asker = offer.title ?? offer.name;
      return [
        { ...one, ...this.#about, id: newId(), runId, asker, since, place: index + 1, places: asked.length },
      ];
    });
    for (const question of fresh) this.run.add({ kind: "asked", question });
    board.put(fresh);
    this.#settle();
  }

  #settle(): void {
    this.run.is({ state: this.#shared.board.of(this.run.id).length === 0 ? "running" : "asking" });
  }

  #end(end: () => void): void {
    this.#turn += 1;
    this.#shared.board.take(({ runId }) => runId === this.run.id);
    end();
  }
}

const isSame = (one: WaitingQuestion, open: Question): boolean =>
  one.key === open.key && one.details.attempt === open.details.attempt;

function saidBy({ key, details: { ask, attempt } }: Question, answer: Answer): Said {
  const about = attempt === undefined ? { key } : { key, attempt };
  if (answer.action !== "accept") return { ...about, action: answer.action };
  const { content } = answer;
  // A question of one value is asked in a field of that name.
  return { ...about, action: "accept", value: ask === "form" ? content : content?.["value"] };
}

/** What was called, by what came of it: nothing else tells. */
const methodOf = (result: Fields): string =>
  "messages" in result ? "prompts/get" : "contents" in result ? "resources/read" : "tools/call";
