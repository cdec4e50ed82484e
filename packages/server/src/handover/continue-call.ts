/**
 * One call of `photon_continue` or `photon_answer`: it finds the run, waits for answers on its pages, and continues it.
 *
 *   1. The process that continues a run in the store has its lease. The same answer again gets the outcome of the first; another
 *      answer is too late.
 *   2. The model may continue only a run that was handed over, and answer only the round that it was told of.
 *   3. An answer is checked by the tool's own code before the log has it: the body is replayed to its question first.
 */
import type { Replies } from "@photon/core";
import type { CallProgress, CallRunner } from "../calls/call-runner.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { digestJson } from "../crypto/digest.ts";
import type { DurableClientPort, LeasedLog } from "../durable/durable-call.ts";
import { type CallHeader, decodeError, sinceAsked } from "../durable/log-records.ts";
import type { HandoverMode } from "../durable/open-questions.ts";
import type { OpenRun, RunRepository } from "../durable/run-repository.ts";
import { isInboxAction } from "../durable/submit-answer.ts";
import { isRecord } from "../jsonrpc/messages.ts";
import { PageRefused } from "../pages/page.ts";
import { deferred } from "../util/timers.ts";
import {
  CONTINUE,
  formatStoredRun,
  parseOwnedRun,
  parseStoredRun,
  type ModelAnswer,
  type StoredRunRef,
} from "./continue-tools.ts";
import { HandedOverCall, type HandoverTarget } from "./handed-over-call.ts";
import type { HandoverManager } from "./handover-manager.ts";
import { type HandedOverRound, LocalRun } from "./local-run.ts";
import {
  ANSWERED_BEFORE,
  errorTextResult,
  IN_ANOTHER_CALL,
  IN_ANOTHER_PROCESS,
  NO_ANSWER_YET,
  NO_CALL,
  PAGE_ONLY,
  PROCESS_ENDED,
  textResult,
} from "./model-text.ts";

export class ContinueCall implements CallRunner {
  /** Of the tool. */
  readonly #name: string;
  readonly #input: unknown;
  readonly #clientPort: DurableClientPort;
  readonly #manager: HandoverManager;
  /** The answer in a call of `photon_answer`. */
  #modelAnswer: ModelAnswer | undefined;
  /** The call that continues the run. */
  #call: HandedOverCall | undefined;

  constructor(name: string, input: unknown, clientPort: DurableClientPort, manager: HandoverManager) {
    this.#name = name;
    this.#input = input;
    this.#clientPort = clientPort;
    this.#manager = manager;
  }

  async next(replies?: Replies): Promise<CallProgress> {
    if (this.#call !== undefined) return this.#call.next(replies);
    const { run: ref, action = "accept", answer } = isRecord(this.#input) ? this.#input : {};
    if (typeof ref !== "string") return refuse("run must be the value that the text of the call gave.");
    if (this.#name !== CONTINUE) {
      if (!isInboxAction(action)) return refuse("action must be accept, decline or cancel.");
      this.#modelAnswer = { action, answer };
    }
    const { runs } = this.#manager.context;
    if (runs === undefined) return this.#continueLocal(ref);
    const stored = parseStoredRun(ref);
    if (stored !== undefined) return this.#continueStored(stored, runs);
    const { run, process } = parseOwnedRun(ref);
    if (process === undefined || process === runs.process) return this.#continueLocal(run);
    return refuse((await runs.isAlive(process)) ? IN_ANOTHER_PROCESS : PROCESS_ENDED);
  }

  async close(): Promise<void> {
    await this.#call?.close();
  }

  async detach(): Promise<void> {
    await this.#call?.detach();
  }

  /** Continues a run whose body waits in this process. */
  async #continueLocal(run: string): Promise<CallProgress> {
    const local = this.#manager.find(run);
    const { call, waiting } = local ?? {};
    if (local === undefined || call?.principal !== this.#clientPort.principal) return refuse(NO_CALL);
    if (waiting === undefined) return refuse(IN_ANOTHER_CALL);
    const { mode, round } = waiting;
    if (mode === "page") {
      if (this.#modelAnswer !== undefined) return refuse(PAGE_ONLY);
      await local.untilAnswered(round);
    }
    const outcome = await call.repliesTo(round, { modelRound: round, modelAnswer: this.#modelAnswer });
    // Another call has continued it meanwhile, or it was closed.
    if (local.waiting !== waiting || this.#clientPort.isClosed)
      return refuse(this.#manager.find(run) === local ? IN_ANOTHER_CALL : NO_CALL);
    if (!("replies" in outcome)) return { result: textResult(await local.textFor(waiting, outcome.note)) };
    this.#call = call;
    call.continueFor(this.#clientPort);
    return call.next(outcome.replies);
  }

  async #continueStored(ref: StoredRunRef, runs: RunRepository): Promise<CallProgress> {
    const { run } = ref;
    const head = (await runs.find(run))?.head;
    const target = head && targetOf(head, this.#manager.context);
    if (target === undefined || head?.principal !== this.#clientPort.principal) return refuse(NO_CALL);
    if (target.mode === "page") {
      if (this.#modelAnswer !== undefined) return refuse(PAGE_ONLY);
      const problem = await this.#untilAnswered(ref, runs);
      if (problem !== undefined) return refuse(problem);
    }
    const leased = await runs.findLeased(run);
    if (leased === undefined) return refuse(NO_CALL);
    try {
      return await this.#continueLeased(ref, leased, target, runs);
    } finally {
      // A call that continues the run has the lease.
      if (this.#call === undefined) await leased.release();
    }
  }

  /** Waits a while until the run is answered, on pages or elsewhere. Returns why the call cannot be continued, if so. */
  async #untilAnswered({ run, length }: StoredRunRef, runs: RunRepository): Promise<string | undefined> {
    const { closes } = this.#manager;
    const answered = deferred();
    const unsubscribe = await runs.bus.onGrown(run, answered.resolve);
    try {
      const open = await runs.opened(run);
      if (open?.handoverMode !== "page" || open.length !== length || open.awaitsProcess === true)
        return undefined;
      const [local] = await this.#waitLocally(open, "page");
      await local.untilAnswered(open.round, answered.promise);
      return this.#manager.closes === closes ? undefined : "The server was closed.";
    } catch (error) {
      // The run is not told: a page may be opened later, or in another process.
      if (error instanceof PageRefused) return error.message;
      throw error;
    } finally {
      unsubscribe();
    }
  }

  /** Replays the body from the log, if the call brings a reply or the run waits for nothing; otherwise gives the model the text again. */
  async #continueLeased(
    { run, length }: StoredRunRef,
    { log, release }: LeasedLog,
    target: HandoverTarget,
    runs: RunRepository,
  ): Promise<CallProgress> {
    if (!log.isHandedOver) return refuse(NO_CALL);
    const modelAnswer = this.#modelAnswer;
    const { answersDigest, isUntouched } = sinceAsked(await runs.read(run, length));
    if (modelAnswer !== undefined && answersDigest !== undefined && answersDigest !== digestJson(modelAnswer))
      return refuse(ANSWERED_BEFORE);
    if (log.ending !== undefined) {
      if ("error" in log.ending) throw decodeError(log.ending);
      return log.ending;
    }
    const { mode } = target;
    const open = await runs.opened(run);
    // A session client is asked, in a call that waits for its answer.
    if (open !== undefined && open.handoverMode === undefined && (await runs.isClaimed(open)))
      return refuse(IN_ANOTHER_CALL);
    // A round that was not handed over is for its client alone.
    const waits = open?.handoverMode === mode && open.awaitsProcess !== true && open.length === log.length;
    const isAnswered = waits && (modelAnswer === undefined ? await this.#hasReply(open) : isUntouched);
    if (waits && !isAnswered) {
      const [local, waiting] = await this.#waitLocally(open, mode);
      // A model that knows these questions has waited for their pages.
      const note = open.length === length && mode === "page" ? NO_ANSWER_YET : undefined;
      return { result: textResult(await local.textFor(waiting, note)) };
    }
    const { subject, params } = log.head;
    this.#clientPort.adopt({ log, release });
    await this.#clientPort.durable?.acquire();
    const local = this.#localRun(run, subject);
    const continuation = waits ? { modelRound: open.round, modelAnswer } : undefined;
    this.#call = new HandedOverCall(target, params["arguments"], this.#clientPort, this.#manager, local);
    return this.#call.next(undefined, continuation);
  }

  async #hasReply(open: OpenRun): Promise<boolean> {
    const now = this.#manager.context.settings.clock.now();
    const isLate = Object.values(open.round).some((question) => isExpired(question, now));
    return isLate || this.#manager.hasPageReply(open);
  }

  /** The run as this process knows it. From then on it counts as waiting here: pages are opened for it. */
  async #waitLocally(open: OpenRun, mode: HandoverMode): Promise<readonly [LocalRun, HandedOverRound]> {
    const { run, subject, round, until } = open;
    const local = this.#localRun(run, subject);
    const waiting = { mode, round, ref: formatStoredRun(open), until };
    this.#manager.add(local, until);
    await local.waitAt(waiting);
    return [local, waiting];
  }

  #localRun(run: string, tool: string): LocalRun {
    return this.#manager.find(run) ?? new LocalRun(run, tool, this.#clientPort, this.#manager);
  }
}

/** The tool of a run in the store, if this server offers it and its calls are handed over. */
function targetOf(
  { params: { name } }: CallHeader,
  { catalog, settings }: HandoverManager["context"],
): HandoverTarget | undefined {
  const tool = typeof name === "string" ? catalog.tools.find(name) : undefined;
  const mode = tool?.whenUnsupported ?? settings.whenUnsupported;
  return tool?.durable !== true || mode === "fail" ? undefined : { tool, mode };
}

const refuse = (reason: string): CallProgress => ({ result: errorTextResult(reason) });
