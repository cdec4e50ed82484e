/**
 * A run over 2026-07-28: a call that ends with questions, and is called again with the answers.
 *
 *   1. It needs no connection while it asks. What it would be continued by is kept, and it goes on from there.
 *   2. A continuation that broke is sent again as it was: the server gives what came of it, or refuses.
 *   3. A call that broke before it asked anything has done nobody knows what, and is not sent again.
 */
import { callOf, type Call } from "../client/call-of.ts";
import type { Continuation } from "../client/client.ts";
import type { Answer as LineAnswer } from "../client/line.ts";
import type { News } from "../client/news.ts";
import type { RequestId } from "../wire/message.ts";
import { recordIn, textIn, type Fields } from "../wire/record.ts";
import { isForPage, type Driver, type Shared } from "./driver.ts";
import type { KeptRun } from "./keeper.ts";
import type { LiveRun } from "./live-run.ts";
import { OpenRound } from "./open-round.ts";
import type { Answer, Question } from "./question.ts";
import { responseTo } from "./responses.ts";
import { isSameVisit, roundIn } from "./round.ts";
import type { Entry } from "./run.ts";

/** How long to wait before sending again what brought nothing, in milliseconds. */
const PAUSE = 1000;
/** How often, while the connection seems to be there. */
const MOST_TRIES = 5;
const NO_CONNECTION = "There is no connection; it goes on when there is one.";
const LOST = "The connection was lost while it worked.";

export class ModernDriver implements Driver {
  readonly run: LiveRun;
  readonly #shared: Shared;
  readonly #call: Call;
  /** The request that is under way. */
  #request: RequestId | undefined;
  /** What the next request says, or the last one said. Empty for the first. */
  #continuation: Continuation = {};
  #isSent = false;
  /** Whether it has asked anything: then it is continued, and no longer begun. */
  #hasAsked = false;
  #requestState: string | undefined;
  #round = new OpenRound();
  #tries = 0;
  #stopWaiting = (): void => {};

  constructor(run: LiveRun, shared: Shared, kept?: KeptRun) {
    this.run = run;
    this.#shared = shared;
    this.#call = callOf(run.offer, run.given);
    if (kept === undefined) this.#send();
    else this.#restore(kept);
  }

  connected(): void {
    const { state } = this.run.state.value;
    if (state === "waiting" && this.#request === undefined) this.#send();
  }

  told(news: News): void {
    // Nothing is told while a page is being filled in: it has been.
    this.#shared.board.take(({ runId }) => runId === this.run.id);
    this.run.is({ state: "running" });
    this.run.hear(news);
  }

  answer(question: Question, answer: Answer): void {
    if (!this.#round.takes(question, answer)) return;
    if (responseTo(question, answer) === undefined)
      return this.#end(() => this.run.cancel("Nobody wanted to speak for a model."));
    const isThoughtBetter = this.#round.isVisited(question);
    this.#round.give(question, answer);
    this.run.add({ kind: "answered", question, answer });
    this.#shared.board.waits(question, this.#round.isVisited(question) ? "page" : "server");
    if (isThoughtBetter) this.#takeBack();
    this.#sendWhenAnswered();
  }

  visit(question: Question): void {
    if (isForPage(question)) this.answer(question, { action: "accept" });
    else this.#shared.board.waits(question, "page");
  }

  cancel(): void {
    this.#takeBack();
    this.#end(() => this.run.cancel("It was cancelled here."));
  }

  #restore({ questions, requestState, sent, storedAs }: KeptRun): void {
    this.run.storedAs = storedAs;
    if (sent === undefined && questions.length === 0)
      return this.#end(() => this.run.cancel("The page was reloaded while it worked, and that ended it."));
    this.#hasAsked = true;
    this.#requestState = requestState;
    this.#shared.board.put(questions);
    if (sent === undefined) {
      this.#round = new OpenRound(questions);
      this.run.is({ state: "asking" });
      return this.#watchDeadlines();
    }
    // What is still shown of what was answered is what somebody went to a page for.
    this.#round = new OpenRound(questions, accepting(questions));
    this.#continuation = sent;
    this.run.add({ kind: "note", message: "The page was reloaded; what was answered is sent again." });
    this.#isSent = true;
    this.#send();
  }

  /** Leaves the request that is under way. Where it only waits for a page, its answers can be given anew. */
  #takeBack(): void {
    const request = this.#request;
    this.#request = undefined;
    this.#isSent = false;
    if (request !== undefined) this.#shared.client()?.cancel(request, this.run.id);
  }

  /** Sends what is to be sent; or waits until it can be. */
  #send(): void {
    this.#stopWaiting();
    const client = this.#shared.client();
    if (client?.revision !== "2026-07-28") {
      const why = client === undefined ? NO_CONNECTION : "It goes on when this page speaks 2026-07-28 again.";
      this.#keep();
      return this.run.is({ state: "waiting", why });
    }
    this.#isSent = true;
    // Whoever was sent to a page is waited for there; every other question is done with.
    this.#shared.board.take((question) => question.runId === this.run.id && !this.#round.isVisited(question));
    const isVisited = this.#shared.board.of(this.run.id).length > 0;
    this.run.is({ state: isVisited ? "asking" : "running" });
    this.#keep();
    const request = client.call(this.#call, this.#continuation, this.run.id, (answer) => {
      if (this.#request === request) this.#heard(answer);
    });
    this.#request = request;
  }

  #heard(answer: LineAnswer): void {
    this.#request = undefined;
    if (this.run.isOver) return;
    switch (answer.kind) {
      case "error":
        return this.#end(() => this.run.fail(answer.fault));
      case "broken":
        return this.#sendAgain(answer.problem);
      case "result":
        this.#tries = 0;
        if (answer.result["resultType"] === "input_required") return this.#ask(answer.result);
        return this.#end(() => this.run.finish(this.#call.method, answer.result));
      default:
        return answer satisfies never;
    }
  }

  #sendAgain(problem: string): void {
    this.#tries += 1;
    if (!this.#hasAsked) return this.#end(() => this.run.cancel(LOST));
    if (this.#tries > MOST_TRIES) return this.#end(() => this.run.fail({ message: problem }));
    this.run.add({ kind: "note", message: `${LOST} What was answered is sent again.` });
    this.run.is({ state: "waiting", why: NO_CONNECTION });
    this.#after(PAUSE, () => this.connected());
  }

  #ask(result: Fields): void {
    const { board, clock } = this.#shared;
    const read = roundIn(result, this.run, clock.now());
    if ("problem" in read) return this.#end(() => this.run.fail({ message: read.problem }));
    const before = this.#round;
    this.run.storedAs = textIn(recordIn(result, "_meta"), "photon/run");
    const visited = board.of(this.run.id).filter((question) => before.answerTo(question) !== undefined);
    const asked = read.questions.map(
      (question) => visited.find((one) => isSameVisit(one, question)) ?? question,
    );
    const fresh = asked.filter((question) => !visited.includes(question));
    board.take((question) => question.runId === this.run.id && !asked.includes(question));
    this.#round = new OpenRound(
      asked,
      asked.flatMap((question) => {
        const answer = fresh.includes(question) ? undefined : before.answerTo(question);
        return answer === undefined ? [] : [[question.key, answer]];
      }),
    );
    this.#requestState = textIn(result, "requestState");
    this.#hasAsked = true;
    this.#isSent = false;
    for (const question of fresh) this.run.add({ kind: "asked", question });
    board.put(fresh);
    this.#keep();
    if (fresh.length === 0) return this.#continueLater();
    this.run.is({ state: "asking" });
    this.#watchDeadlines();
  }

  /** Nothing new is asked: a page is still being filled in, or the server wants to be called later. */
  #continueLater(): void {
    this.#after(PAUSE, () => {
      this.#continueWith();
      this.#send();
    });
  }

  #sendWhenAnswered(): void {
    if (this.#isSent || !this.#round.isAnswered) return;
    this.#continueWith();
    this.#send();
  }

  /** What the next request says, by the answers there are. */
  #continueWith(): void {
    const { questions, responses } = this.#round;
    this.#continuation = {
      ...(this.#requestState === undefined ? {} : { requestState: this.#requestState }),
      ...(questions.length === 0 ? {} : { inputResponses: responses }),
    };
  }

  /** A question whose time is over is not answered any more; the tool hears of it when it is called again. */
  #watchDeadlines(): void {
    const { clock, board } = this.#shared;
    const deadline = this.#round.nextDeadline;
    if (deadline === undefined) return;
    this.#after(Math.max(PAUSE, deadline - clock.now()), () => {
      for (const question of this.#round.expire(clock.now())) {
        board.take(({ id }) => id === question.id);
        this.run.add({ kind: "withdrawn", question, why: "Its time was over." });
      }
      this.#watchDeadlines();
      this.#sendWhenAnswered();
    });
  }

  #after(milliseconds: number, act: () => void): void {
    this.#stopWaiting();
    this.#stopWaiting = this.#shared.clock.after(milliseconds, act);
  }

  #keep(): void {
    const { id, offer, given, revision, began, entries } = this.run;
    const { questions } = this.#round;
    // What somebody has answered is not kept before it was sent.
    const isUnsent = (entry: Entry): boolean =>
      !this.#isSent && entry.kind === "answered" && questions.some((one) => one.id === entry.question.id);
    const { storedAs } = this.run;
    this.#shared.keeper.keep({
      id,
      offer,
      given,
      revision,
      began,
      entries: entries.filter((entry) => !isUnsent(entry)),
      questions: this.#isSent ? this.#shared.board.of(id) : questions,
      ...(storedAs === undefined ? {} : { storedAs }),
      ...(this.#requestState === undefined ? {} : { requestState: this.#requestState }),
      ...(this.#isSent && this.#hasAsked ? { sent: this.#continuation } : {}),
    });
  }

  #end(end: () => void): void {
    this.#stopWaiting();
    this.#request = undefined;
    this.#shared.board.take(({ runId }) => runId === this.run.id);
    this.#shared.keeper.forget(this.run.id);
    end();
  }
}

const accepting = (questions: readonly Question[]): readonly (readonly [string, Answer])[] =>
  questions.map(({ key }) => [key, { action: "accept" }]);
