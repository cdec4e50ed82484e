/**
 * Going on with calls that were handed over, and whose runs a store keeps: from its log, in any process.
 *
 *   1. A run belongs to whoever began it: to anybody else it is not there.
 *   2. Whoever goes on with it holds it meanwhile. The same answer once more is given what has come of the first; another
 *      comes too late.
 *   3. What is asked for on a page is asked for on a page of this process: what pages others have, nobody here knows.
 */
import type {
  OpenQuestion,
  Replies,
  Reply,
  Round,
  Run,
  Runnable,
  RunOptions,
  Tool,
  SecretRedactor,
} from "@photon/core";
import { callTool } from "../calls/call-kinds.ts";
import type { Catalog } from "../catalog.ts";
import { digestJson } from "../crypto/digest.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { asksIn, PageRefused } from "../pages/types.ts";
import { runToEnd } from "../calls/call-runner.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import { DurableCall } from "../durable/durable-call.ts";
import { type RunResult, decodeError, sinceAsked, type SinceAsked } from "../durable/log-records.ts";
import { isMoved } from "../jsonrpc/errors.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { OpenRun } from "../durable/run-repository.ts";
import type { LocalRunDataStore, LocalRunData, LocalRunDataInput, HandoverContext } from "./process-local.ts";
import { type CallerClient, HandedOverCall, type Keeper, type HandoverMode } from "./handed-over-call.ts";
import {
  CONTINUE,
  errorResult,
  handoverText,
  encodeRunRef,
  NO_CALL,
  ONLY_THERE,
  textResult,
  notRelayableReason,
} from "./model-text.ts";
import { type RelayedAnswer, repliesIn, type RepliesOrProblem } from "./relayed-answers.ts";
import type { AskClient, ClientPort } from "../calls/client-port.ts";
import type { Account } from "../accounts.ts";
import type { CallPages } from "../pages/call-pages.ts";

/** What a call brings that goes on with a run: which, where that stood when a model was told of it; and what that passes on. */
interface ContinueRequest {
  readonly run: string;
  readonly length: number;
  readonly passedOn: RelayedAnswer | undefined;
}

/** A run as it stands, held. */
interface LeasedRun {
  readonly tool: Tool<never>;
  readonly way: HandoverMode;
  readonly log: RunLog;
  readonly open: OpenRun | undefined;
  /** What has become of it since the model was told. */
  readonly since: SinceAsked;
  readonly release: () => Promise<void>;
}

const LATE = `That was answered already, with something else, and the first answer counts. Call the tool ${CONTINUE} with the same run to hear what has come of it.`;

export class DurableHandovers {
  readonly #premises: HandoverContext;
  readonly #catalog: Catalog;
  readonly #custodies: LocalRunDataStore;
  readonly #keeper: Keeper;

  constructor(premises: HandoverContext, catalog: Catalog, custodies: LocalRunDataStore, keeper: Keeper) {
    this.#premises = premises;
    this.#catalog = catalog;
    this.#custodies = custodies;
    this.#keeper = keeper;
  }

  /** Goes on with a run, for a call that brought an answer, or wants to hear how it stands. */
  async continueCall(continuation: ContinueRequest, caller: CallerClient): Promise<JsonObject> {
    const { runs } = this.#premises;
    const { run, length, passedOn } = continuation;
    const known = await runs.find(run);
    const offered = known && this.#offered(known);
    if (offered === undefined || known?.head.principal !== caller.clientPort.principal)
      return errorResult(NO_CALL);
    if (offered.way === "page") {
      if (passedOn !== undefined) return errorResult(ONLY_THERE);
      const problem = await this.#waited(run, length);
      if (problem !== undefined) return errorResult(problem);
    }
    for (;;) {
      const leased = await runs.findLeased(run);
      try {
        // A model may continue only a run that was handed over.
        if (leased?.log.isHandedOver !== true) return errorResult(NO_CALL);
        const open = await runs.opened(run);
        const since = sinceAsked(await runs.read(run, length));
        return await this.#goOnHolding(continuation, { ...offered, ...leased, open, since }, caller);
      } catch (error) {
        // Another process has continued the run: this call follows it.
        if (!isMoved(error) || caller.clientPort.isClosed) throw error;
      } finally {
        await leased?.release();
      }
    }
  }

  /** What is called, as it is offered here, if it is and its calls are handed over. */
  #offered({ head }: RunLog): Pick<LeasedRun, "tool" | "way"> | undefined {
    const { name } = head.params;
    const tool = typeof name === "string" ? this.#catalog.tools.find(name) : undefined;
    const way = tool?.whenUnsupported ?? this.#premises.settings.whenUnsupported;
    return tool?.durable !== true || way === "fail" ? undefined : { tool, way };
  }

  /** Waits a while for people to answer. Why nothing can come of it, if so. */
  async #waited(run: string, length: number): Promise<string | undefined> {
    try {
      const isOpen = await this.#custodies.untilAnswered(run, length);
      return isOpen ? undefined : "The server was closed.";
    } catch (error) {
      // The run knows nothing of it: there may be a page later, or elsewhere.
      if (error instanceof PageRefused) return error.message;
      throw error;
    }
  }

  async #goOnHolding(
    continuation: ContinueRequest,
    held: LeasedRun,
    caller: CallerClient,
  ): Promise<JsonObject> {
    const { passedOn } = continuation;
    const { log, open, since } = held;
    const answers = passedOn && digestJson(passedOn);
    if (answers !== undefined && since.answersDigest !== undefined && since.answersDigest !== answers)
      return errorResult(LATE);
    if (log.ending !== undefined) return resultIn(log.ending);
    // Somebody else, who can be asked, is: that is not to be disturbed.
    if (open !== undefined && open.way === undefined && (await this.#premises.runs.isLive(open)))
      return errorResult(NO_CALL);
    const bring = await this.#bringing(continuation, held, answers);
    const isAsked = open?.length === log.length && open.isAnswered !== true && open.way !== undefined;
    if (isAsked && bring === undefined) {
      const words = await this.#inWords(held, open);
      // Who was told of these questions before knows them, and has waited for their pages.
      const isKnown = open.length === continuation.length && open.way === "page";
      return textResult(isKnown ? `Nobody has answered yet. ${words}` : words);
    }
    const { runs, settings } = this.#premises;
    const fromLog = new LogReplay(new DurableCall(held, runs), bring);
    try {
      await fromLog.durable.acquire();
      return await this.#replay(held, caller, fromLog);
    } finally {
      await fromLog.durable.rest();
      await runs.publish({ grown: log.run }).catch(settings.report);
    }
  }

  /**
   * What is brought to the round that is open, once the run is there: only there an answer can be checked by the tool's own
   * code. Nothing, where something else was asked since, or it was answered by another way.
   */
  async #bringing(
    { length, passedOn }: ContinueRequest,
    { way, log, open, since }: LeasedRun,
    answers: string | undefined,
  ): Promise<ReplySupplier | undefined> {
    const { clock } = this.#premises.settings;
    // A round that was not handed over is for its client alone.
    if (open === undefined || open.way !== way || open.isAnswered === true) return undefined;
    if (passedOn === undefined) {
      const onPages = await this.#custodies.find(open.run)?.saidIn(open.round);
      const replies: Replies = { ...timeoutsIn(open.round, clock.now()), ...onPages };
      if (Object.keys(replies).length === 0) return undefined;
      return async (round) => repliesTo(stillAsked(open.round, round), replies);
    }
    const isTheirs = open.length === length && (since.isUntouched || since.answersDigest !== undefined);
    if (!isTheirs) return undefined;
    return async (round) => {
      const left = relayable(stillAsked(open.round, round, since.answered));
      if (Object.keys(left).length === 0) return undefined;
      const read = await repliesIn(passedOn, left, clock.now(), open.round);
      if ("replies" in read && since.isUntouched && answers !== undefined) log.noteAnswers(answers);
      return read;
    };
  }

  /** What the model is told of what waits. */
  async #inWords({ tool, way }: LeasedRun, open: OpenRun): Promise<string> {
    const { run, round, length } = open;
    const custody = this.#custodies.of(open);
    const asked = { way, tool: tool.name ?? "", round, name: encodeRunRef(run, length) };
    return handoverText(asked, (question) => custody.urlOf(question));
  }

  /** Brings a run to its next question, or to its end, and writes down which. */
  #replay({ tool, way, log }: LeasedRun, caller: CallerClient, fromLog: LogReplay): Promise<JsonObject> {
    const { desk } = this.#premises;
    const { name = "" } = tool;
    const { clientPort } = caller;
    const { principal } = clientPort;
    const pages = this.#custodies.pagesOf(log.run, name, principal);
    const account = this.#custodies.accountOf(clientPort);
    const { arguments: given } = log.head.params;
    const handed = { tool: name, way, desk, account, weight: estimateBytes(given) };
    const handover = new HandedOverCall(handed, caller, pages, this.#keeper, fromLog);
    return handover.begin(async () => {
      try {
        const result = await runToEnd(callTool(tool, given, handover), (round) => handover.ask(round));
        await fromLog.durable.end({ result });
        return result;
      } catch (error) {
        await fromLog.durable.fail(error);
        throw error;
      }
    });
  }
}

/** What of a round is the same question that it was, and was not answered since: the log may be ahead of what is open. */
function stillAsked(told: Round, round: Round, answered?: ReadonlySet<string>): Round {
  const isSame = ({ key, attempt }: OpenQuestion): boolean =>
    Object.hasOwn(told, key) && told[key]?.attempt === attempt && answered?.has(key) !== true;
  return Object.fromEntries(Object.entries(round).filter(([, question]) => isSame(question)));
}

/** What of a round may pass through a model, as the tool asks it now. */
const relayable = (round: Round): Round =>
  Object.fromEntries(
    asksIn(round).flatMap((question) =>
      notRelayableReason(question) === undefined ? [[question.key, question]] : [],
    ),
  );

/** Of some replies those to a round, if there are any. */
function repliesTo(round: Round, replies: Replies): { readonly replies: Replies } | undefined {
  const own = Object.entries(replies).filter(([key]) => Object.hasOwn(round, key));
  return own.length === 0 ? undefined : { replies: Object.fromEntries(own) };
}

/** What is replied to questions whose time is over. */
function timeoutsIn(round: Round, now: number): { readonly [key: string]: Reply } {
  const late = Object.values(round).filter((question) => isExpired(question, now));
  return Object.fromEntries(late.map(({ key }) => [key, { action: "timeout" }]));
}

function resultIn(ending: RunResult): JsonObject {
  if ("result" in ending) return ending.result;
  throw decodeError(ending);
}

/** A run that is gone on with from its log, for another call than its own. */

/** What was brought to a round, if anything was. */
type ReplySupplier = (round: Round) => Promise<RepliesOrProblem | undefined>;

export class LogReplay {
  readonly durable: DurableCall;
  /** What was brought to the first round that is open, until it was given to it. */
  #bring: ReplySupplier | undefined;
  /** Whether the questions that are asked now are in the log. */
  #isLogged = false;

  constructor(durable: DurableCall, bring: ReplySupplier | undefined) {
    this.durable = durable;
    this.#bring = bring;
  }

  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "secrets"> {
    this.#isLogged = definition.durable === true;
    return this.#isLogged ? this.durable.options(definition) : { runId: this.durable.log.run };
  }

  /** The run as the call that continues it may close it: the run does not end, and another call continues it. */
  withoutClosing(run: Run<unknown>): Run<unknown> {
    return {
      id: run.id,
      next: (replies) => run.next(replies),
      close: () => this.durable.detach(run, { continues: false }),
      detach: () => this.durable.detach(run),
    };
  }

  /** What was brought to a round, if that is the first. */
  async takeSupplied(round: Round): Promise<RepliesOrProblem | undefined> {
    const bring = this.#bring;
    this.#bring = undefined;
    return bring?.(round);
  }

  /** Asks the client of the call that continues the run. The lease is released meanwhile, and the first answer counts. */
  async ask(round: Round, until: number, askThem: AskClient, isClosed: () => boolean): Promise<Replies> {
    const known = await this.durable.openRound(round, until, { isApart: !this.#isLogged });
    if (known !== undefined) return known;
    const replies = await askThem(round);
    // A client that has gone has said nothing.
    if (isClosed()) return {};
    await this.durable.acquire();
    if (!this.#isLogged) return replies;
    let next: Replies | undefined;
    for (const [key, reply] of Object.entries(replies)) {
      const question = round[key];
      if (question !== undefined) next = await this.durable.recordReply(question, reply);
    }
    // The rest of the round comes again, and its replies are known by then.
    return next ?? replies;
  }
}

/** A run that a store keeps is handed over: from then on it waits there, and whoever goes on with it does so from its log. */

/** Where what is known to this process only is kept meanwhile. */
export interface KeptKeeper {
  /** The secrets of a run, as far as they are known here. */
  secretsOf(run: string): SecretRedactor | undefined;
  /** Throws where there is no place for it. */
  refuseWhenFull(run: string, account: Account): void;
  /** What a call is counted for. */
  accountOf(clientPort: Pick<ClientPort, "account" | "principal">): Account;
  lastMoment(round: Round): number;
  /** It waits from now on, until then. */
  add(given: LocalRunDataInput, until: number): LocalRunData;
  /** The run is over. */
  over(run: string): void;
  /** Hands a run over. What the model is told then; nothing, where whoever called has gone. */
  giveAway(given: DetachInput, round: Round): Promise<string | undefined>;
}

/** What is given away, and who gives it. */
export interface DetachInput {
  readonly tool: string;
  readonly way: "page" | "relay";
  readonly log: RunLog;
  /** Whether what is asked is in the log. */
  readonly isLogged: boolean;
  readonly secrets: SecretRedactor;
  readonly pages: CallPages;
  readonly clientPort: ClientPort;
  readonly clientPorts: ReadonlySet<ClientPort>;
  /** Where it goes on with a run that was given away before. */
  readonly fromLog: LogReplay | undefined;
  /** What was wrong with what was answered last. */
  readonly problem: string | undefined;
}

export async function detachToStore(
  given: DetachInput,
  round: Round,
  kept: Omit<KeptKeeper, "giveAway">,
): Promise<string | undefined> {
  const { tool, way, log, isLogged, secrets, pages, clientPort, clientPorts, fromLog, problem } = given;
  const { run } = log;
  const { principal, hasNoClient: isAbsent = false } = clientPort;
  const account = kept.accountOf(clientPort);
  const until = kept.lastMoment(round);
  // Before any page is opened for it, and before it is written that somebody waits for them: there may be no place.
  if (!isAbsent && fromLog === undefined) kept.refuseWhenFull(run, account);
  if (!isAbsent && way === "page") await Promise.all(asksIn(round).map((question) => pages.get(question)));
  // A run that waits for a model or a page is any process's.
  fromLog?.durable.unclaim();
  const write = (): Promise<void> => log.openRound(round, until, { isApart: !isLogged, way });
  await (clientPort.detachRun?.(write) ?? write());
  if (clientPort.isClosed) return undefined;
  if (isAbsent) return "";
  const custody = kept.add({ run, principal, account, secrets, pages, clientPorts }, until);
  const asked = { way, tool, round, name: encodeRunRef(run, log.length) };
  return handoverText(asked, (question) => custody.urlOf(question), problem);
}
