/**
 * A run over 2025-11-25: one request, in the middle of which the server asks.
 *
 * Everything hangs on the connection: when that goes, the run is over, and so is what it asked.
 */
import { callOf, type Call } from "../client/call-of.ts";
import type { AskedOnSession } from "../client/client-ear.ts";
import type { SessionClient } from "../client/client.ts";
import type { Answer as LineAnswer } from "../client/line.ts";
import type { News } from "../client/news.ts";
import { detailsIn, messageIn, wantedIn } from "../client/wanted.ts";
import type { RequestId } from "../wire/message.ts";
import { recordIn, textIn } from "../wire/record.ts";
import { isForPage, newId, type Driver, type Shared } from "./driver.ts";
import type { LiveRun } from "./live-run.ts";
import type { Answer, Question } from "./question.ts";
import { responseTo } from "./responses.ts";

const REFUSED = { code: -1, message: "User rejected sampling request" };
const INVALID_PARAMS = -32602;
const LOST = "The connection was lost, and a call over 2025-11-25 ends with it.";
const RELOADED = "The page was reloaded, and a call over 2025-11-25 ends with its connection.";

interface Open {
  readonly question: Question;
  readonly requestId: RequestId;
  readonly elicitationId: string | undefined;
  isAnswered: boolean;
}

export class SessionDriver implements Driver {
  readonly run: LiveRun;
  readonly #shared: Shared;
  readonly #call: Call;
  #client: SessionClient | undefined;
  #request: RequestId | undefined;
  readonly #open = new Map<string, Open>();

  constructor(run: LiveRun, shared: Shared, isReloaded: boolean) {
    this.run = run;
    this.#shared = shared;
    this.#call = callOf(run.offer, run.given);
    if (isReloaded) this.#end(() => run.cancel(RELOADED));
    else this.#begin();
  }

  connected(client: { readonly revision: string }): void {
    if (this.#client !== undefined || this.run.isOver) return;
    if (!isSession(client)) return this.#end(() => this.run.cancel("The page went on to another revision."));
    this.#client = client;
    this.run.is({ state: "running" });
    this.#request = client.call(this.#call, this.run.id, (answer) => this.#heard(answer));
  }

  told(news: News): void {
    this.run.hear(news);
  }

  asked({ requestId, method, params }: AskedOnSession): void {
    const wanted = wantedIn(method, params);
    if (wanted === undefined) {
      const message = "That is no question this page can put to anybody.";
      return this.#client?.reply(requestId, { error: { code: INVALID_PARAMS, message } });
    }
    const question: Question = {
      id: newId(),
      runId: this.run.id,
      asker: this.run.offer.title ?? this.run.offer.name,
      key: keyIn(requestId),
      message: messageIn(params),
      wanted,
      details: detailsIn(recordIn(params, "_meta")["photon/question"]),
      since: this.#shared.clock.now(),
      place: 1,
      places: 1,
    };
    this.run.storedAs = runIn(requestId);
    const elicitationId = textIn(params, "elicitationId");
    this.#open.set(question.id, { question, requestId, elicitationId, isAnswered: false });
    this.run.add({ kind: "asked", question });
    this.#shared.board.put([question]);
    this.#settle();
  }

  answer(question: Question, answer: Answer): void {
    const open = this.#open.get(question.id);
    if (open === undefined || open.isAnswered) return;
    open.isAnswered = true;
    const result = responseTo(question, answer);
    this.#client?.reply(open.requestId, result === undefined ? { error: REFUSED } : { result });
    this.run.add({ kind: "answered", question, answer });
    const isVisited = isForPage(question) && answer.action === "accept";
    if (isVisited) this.#shared.board.waits(question, "page");
    else this.#take(question.id);
  }

  visit(question: Question): void {
    if (isForPage(question)) this.answer(question, { action: "accept" });
    else this.#shared.board.waits(question, "page");
  }

  /** The server wants no answer any more. */
  withdrawn(requestId: RequestId): void {
    for (const { question, isAnswered, ...open } of this.#open.values()) {
      if (open.requestId !== requestId) continue;
      const why = "The server takes no answer to it any more.";
      if (!isAnswered) this.run.add({ kind: "withdrawn", question, why });
      this.#take(question.id);
    }
  }

  completed(elicitationId: string): void {
    for (const { question, ...open } of this.#open.values())
      if (open.elicitationId === elicitationId) this.#take(question.id);
  }

  cancel(): void {
    if (this.#request !== undefined) this.#client?.cancel(this.#request, this.run.id);
    this.#end(() => this.run.cancel("It was cancelled here."));
  }

  #begin(): void {
    const client = this.#shared.client();
    if (client !== undefined) this.connected(client);
    else this.run.is({ state: "waiting", why: "There is no connection; it begins when there is one." });
    this.#keep();
  }

  #heard(answer: LineAnswer): void {
    switch (answer.kind) {
      case "result":
        return this.#end(() => this.run.finish(this.#call.method, answer.result));
      case "error":
        return this.#end(() => this.run.fail(answer.fault));
      case "broken":
        for (const { question, isAnswered } of this.#open.values())
          if (!isAnswered) this.run.add({ kind: "withdrawn", question, why: LOST });
        return this.#end(() => this.run.cancel(LOST));
      default:
        return answer satisfies never;
    }
  }

  #take(questionId: string): void {
    this.#open.delete(questionId);
    this.#shared.board.take(({ id }) => id === questionId);
    this.#settle();
  }

  #settle(): void {
    this.run.is({ state: this.#open.size === 0 ? "running" : "asking" });
    this.#keep();
  }

  /** Only that it was there, so that a page that is reloaded can say what became of it. */
  #keep(): void {
    if (this.run.isOver) return;
    const { id, offer, given, revision, began, entries } = this.run;
    this.#shared.keeper.keep({ id, offer, given, revision, began, entries, questions: [] });
  }

  #end(end: () => void): void {
    this.#open.clear();
    this.#shared.board.take(({ runId }) => runId === this.run.id);
    this.#shared.keeper.forget(this.run.id);
    end();
  }
}

const isSession = (client: { readonly revision: string }): client is SessionClient =>
  client.revision === "2025-11-25";

/** Photon makes the id of a question from its run, its key and its attempt. */
const MADE_OF = /^([^:]+):(.+):\d+$/;

function keyIn(requestId: RequestId): string {
  const [, , key = String(requestId)] = MADE_OF.exec(String(requestId)) ?? [];
  return key;
}

const runIn = (requestId: RequestId): string | undefined => MADE_OF.exec(String(requestId))?.[1];
