/**
 * Calls that were handed over and whose runs are in the store: any process continues them from the log.
 *
 *   1. The process that continues a run has its lease. The same answer again is given the outcome of the first; another is too late.
 *   2. A page is open in one process. An answer that is given there goes into the log at once, and any process continues the run.
 *   3. Secrets and files, and answers that could not be written, stay in this process, for a call that continues the run here.
 *   4. A page that was closed, or whose time is over, gives no reply.
 */
import { type Replies, type Reply, type Round, SecretRedactor, type Tool } from "@photon/core";
import type { ClientPort } from "../calls/client-port.ts";
import { answerableUntil, isExpired } from "../calls/question-deadlines.ts";
import { digestJson } from "../crypto/digest.ts";
import type { DurableClientPort } from "../durable/drive-call.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import { decodeError, sinceAsked } from "../durable/log-records.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { OpenRun, RunRepository } from "../durable/run-repository.ts";
import { answerQuestion } from "../durable/submit-answer.ts";
import { AnswerRejected } from "../errors.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { PAGE_WAIT_MS, CallPages } from "../pages/call-pages.ts";
import { asksIn, PageRefused } from "../pages/types.ts";
import { withTimeout } from "../util/timers.ts";
import type { HandoverContext, HandoverManager } from "./continue-tools.ts";
import {
  HandedOverCall,
  type HandoverCaller,
  type HandoverMode,
  type ReplySupplier,
} from "./handed-over-call.ts";
import {
  CONTINUE,
  encodeRunRef,
  errorResult,
  handoverText,
  NO_CALL,
  notRelayableReason,
  ONLY_THERE,
  textResult,
} from "./model-text.ts";
import { isIn, LocalRun, type RecordReply } from "./local-run.ts";
import { type RelayedAnswer, repliesIn } from "./relayed-answers.ts";

/** A call of `photon_continue` or `photon_answer`: which run, how long its log was when the model was told of it, and the answer. */
interface ContinueRequest {
  readonly run: string;
  readonly length: number;
  readonly relayed: RelayedAnswer | undefined;
}

type Continued = { readonly result: JsonObject } | { readonly call: HandedOverCall };

interface Offered {
  readonly tool: Tool<never>;
  readonly mode: HandoverMode;
}

/** A call that hands its run over. */
interface HandoverInput {
  readonly tool: string;
  readonly mode: HandoverMode;
  /** Whether the questions are in the log. */
  readonly isLogged: boolean;
  readonly secrets: SecretRedactor;
  readonly pages: CallPages;
  readonly clientPort: DurableClientPort;
  readonly clientPorts: ReadonlySet<ClientPort>;
  /** Why the last answer was not accepted. */
  readonly problem: string | undefined;
}

const LATE = `That was answered already, with something else, and the first answer counts. Call the tool ${CONTINUE} with the same run to hear what has come of it.`;

export class DurableHandovers {
  readonly #context: HandoverContext & { readonly runs: RunRepository };
  readonly #manager: HandoverManager;
  readonly #local = new Map<string, LocalRun>();
  /** How often the server was closed: a call that waits since before then is not continued. */
  #closes = 0;

  constructor(context: HandoverContext & { readonly runs: RunRepository }, manager: HandoverManager) {
    this.#context = context;
    this.#manager = manager;
  }

  /** The secrets of a run, as far as this process knows them. */
  secretsOf(run: string): SecretRedactor | undefined {
    return this.#local.get(run)?.secrets;
  }

  /** Whether a page of this process has a reply to one of the open questions, which may be in no log. */
  async hasPageReply({ run, round }: OpenRun): Promise<boolean> {
    return Object.keys((await this.#local.get(run)?.repliesTo(round)) ?? {}).length > 0;
  }

  onRunEnded(run: string): void {
    this.#remove(run);
  }

  /** A run was answered or continued in another process: closes the pages of questions that are not open any more. */
  onRunEvent(run: string): void {
    if (this.#local.has(run)) this.#closeAnsweredPages(run).catch(this.#context.settings.report);
  }

  async #closeAnsweredPages(run: string): Promise<void> {
    const open = await this.#context.runs.opened(run);
    if (open === undefined) this.#remove(run);
    else this.#local.get(run)?.keepOnly(open.round);
  }

  /** Closes the pages. The runs wait in the store. */
  close(): void {
    this.#closes += 1;
    for (const run of this.#local.keys()) this.#remove(run);
  }

  /** Opens a round in the store, for any call to continue. Gives back the text for the model; undefined where the client has gone. */
  async handOver(input: HandoverInput, round: Round): Promise<string | undefined> {
    const { tool, mode, isLogged, secrets, pages, clientPort, clientPorts, problem } = input;
    const { durable, principal, hasNoClient = false } = clientPort;
    if (durable === undefined) return undefined;
    const { accounts, waitingCalls, settings } = this.#context;
    const { run } = durable.log;
    const account = clientPort.account ?? accounts.of(principal);
    const until = answerableUntil(round, settings);
    // Before any page is opened, and before the store lists the questions: the limit of waiting calls may be reached.
    if (!hasNoClient && !durable.outlivesCall && !this.#local.has(run)) waitingCalls.assertCapacity(account);
    if (!hasNoClient && mode === "page")
      await Promise.all(asksIn(round).map((question) => pages.get(question)));
    // While the run is claimed, other processes leave it to this one.
    durable.unclaim();
    await durable.log.openRound(round, until, { isApart: !isLogged, way: mode });
    if (clientPort.isClosed) return undefined;
    clientPort.forgetRun();
    await durable.release();
    await durable.publishGrown();
    if (hasNoClient) return "";
    const local = this.#add(run, until, () => new LocalRun(account, secrets, pages, this.#recordOf(run)));
    for (const port of clientPorts) local.clientPorts.add(port);
    const asked = { way: mode, tool, round, name: encodeRunRef(run, durable.log.length) };
    return handoverText(asked, (question) => local.urlOf(question), problem);
  }

  /** Continues a run, for a call that brings an answer, or asks for the state of the run. */
  async continueCall(request: ContinueRequest, caller: HandoverCaller): Promise<Continued> {
    const { runs } = this.#context;
    const { run, length, relayed } = request;
    const { clientPort } = caller;
    const log = await runs.find(run);
    const offered = log && this.#offered(log);
    if (offered === undefined || log?.head.principal !== clientPort.principal) return refused(NO_CALL);
    if (offered.mode === "page") {
      if (relayed !== undefined) return refused(ONLY_THERE);
      const problem = await this.#untilAnswered(run, length);
      if (problem !== undefined) return refused(problem);
    }
    const leased = await runs.findLeased(run);
    let continued: Continued = refused(NO_CALL);
    try {
      // A model may continue only a run that was handed over.
      if (leased?.log.isHandedOver === true)
        continued = await this.#continueLeased(request, leased, offered, caller);
      return continued;
    } finally {
      // The call that continues the run has the lease.
      if ("result" in continued) await leased?.release();
    }
  }

  async #continueLeased(
    request: ContinueRequest,
    leased: LeasedLog,
    offered: Offered,
    caller: HandoverCaller,
  ): Promise<Continued> {
    const { runs, settings, accounts, pageHost } = this.#context;
    const { log } = leased;
    const { run } = log;
    const { clientPort } = caller;
    const open = await runs.opened(run);
    const since = sinceAsked(await runs.read(run, request.length));
    const digest = request.relayed && digestJson(request.relayed);
    if (digest !== undefined && since.answersDigest !== undefined && since.answersDigest !== digest)
      return refused(LATE);
    if (log.ending !== undefined) {
      if ("error" in log.ending) throw decodeError(log.ending);
      return log.ending;
    }
    // Another client is asked, in a call that waits for its answer.
    if (open !== undefined && open.way === undefined && (await runs.isLive(open))) return refused(NO_CALL);
    const supply = open && (await this.#supplierFor(request, log, open, offered.mode, since, digest));
    const isAsked = open?.length === log.length && open.isAnswered !== true && open.way !== undefined;
    if (isAsked && supply === undefined) {
      const text = await this.#textFor(offered, open);
      // A model that knows these questions has waited for their pages.
      const isKnown = open.length === request.length && open.way === "page";
      return { result: textResult(isKnown ? `There is no answer yet. ${text}` : text) };
    }
    clientPort.adopt(leased);
    const { tool, mode } = offered;
    const account = clientPort.account ?? accounts.of(clientPort.principal);
    const pages =
      this.#local.get(run)?.pages ??
      new CallPages(pageHost.open, {
        server: settings.name,
        tool: tool.name ?? "",
        principal: clientPort.principal,
      });
    const { arguments: input } = log.head.params;
    await clientPort.durable?.acquire();
    return {
      call: new HandedOverCall(
        { tool, input, mode, pageHost, pages, account, supply },
        caller,
        this.#manager,
      ),
    };
  }

  /** The tool of a run, if this server offers it and its calls are handed over. */
  #offered({ head }: RunLog): Offered | undefined {
    const { catalog, settings } = this.#context;
    const { name } = head.params;
    const tool = typeof name === "string" ? catalog.tools.find(name) : undefined;
    const mode = tool?.whenUnsupported ?? settings.whenUnsupported;
    return tool?.durable !== true || mode === "fail" ? undefined : { tool, mode };
  }

  /**
   * The replies that a call brings for the open round. They are read when the body has asked it: only then the tool's own code can
   * check an answer. Undefined where the call brings none, another round is open, or it was answered in another way.
   */
  async #supplierFor(
    { length, relayed }: ContinueRequest,
    log: RunLog,
    open: OpenRun,
    mode: HandoverMode,
    since: ReturnType<typeof sinceAsked>,
    digest: string | undefined,
  ): Promise<ReplySupplier | undefined> {
    const { clock } = this.#context.settings;
    // A round that was not handed over is for its client alone.
    if (open.way !== mode || open.isAnswered === true) return undefined;
    if (relayed === undefined) {
      const onPages = await this.#local.get(open.run)?.repliesTo(open.round);
      const replies: Replies = { ...timeoutsIn(open.round, clock.now()), ...onPages };
      if (Object.keys(replies).length === 0) return undefined;
      return async (round) => {
        const own = Object.keys(stillAsked(open.round, round)).filter((key) => Object.hasOwn(replies, key));
        return own.length === 0
          ? undefined
          : { replies: Object.fromEntries(Object.entries(replies).filter(([key]) => own.includes(key))) };
      };
    }
    const isForRound = open.length === length && (since.isUntouched || since.answersDigest !== undefined);
    if (!isForRound) return undefined;
    return async (round) => {
      const left = relayable(stillAsked(open.round, round, since.answered));
      if (Object.keys(left).length === 0) return undefined;
      const read = await repliesIn(relayed, left, clock.now(), open.round);
      if ("replies" in read && since.isUntouched && digest !== undefined) log.noteAnswers(digest);
      return read;
    };
  }

  async #textFor({ tool, mode }: Offered, open: OpenRun): Promise<string> {
    const { run, round, length } = open;
    const local = this.#localOf(open);
    const asked = { way: mode, tool: tool.name ?? "", round, name: encodeRunRef(run, length) };
    return handoverText(asked, (question) => local.urlOf(question));
  }

  /** Waits a while for the user to answer on pages, or elsewhere. Gives back why the call cannot be continued, if so. */
  async #untilAnswered(run: string, length: number): Promise<string | undefined> {
    const { runs, settings } = this.#context;
    const closes = this.#closes;
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const unsubscribe = await runs.onGrown(run, wake);
    try {
      const open = await runs.opened(run);
      if (open?.way !== "page" || open.length !== length || open.isAnswered === true) return undefined;
      const local = this.#localOf(open);
      const now = settings.clock.now();
      const asked = asksIn(open.round).filter((question) => !isExpired(question, now));
      await Promise.all(asked.map((question) => local.urlOf(question)));
      const answered = Promise.all(asked.map((question) => local.answered(question)));
      await withTimeout(Promise.race([answered, woken]), settings.clock, PAGE_WAIT_MS);
      return this.#closes === closes ? undefined : "The server was closed.";
    } catch (error) {
      // The run is not told: a page may be opened later, or in another process.
      if (error instanceof PageRefused) return error.message;
      throw error;
    } finally {
      unsubscribe();
    }
  }

  #localOf({ run, subject, principal, until }: OpenRun): LocalRun {
    const { accounts, pageHost, settings } = this.#context;
    return this.#add(run, until, () => {
      const pages = new CallPages(pageHost.open, { server: settings.name, tool: subject, principal });
      return new LocalRun(accounts.of(principal), new SecretRedactor(), pages, this.#recordOf(run));
    });
  }

  #add(run: string, until: number, create: () => LocalRun): LocalRun {
    const local = this.#local.get(run) ?? create();
    local.until = until;
    local.onClose = () => this.#remove(run);
    this.#context.waitingCalls.add(local, until);
    this.#local.set(run, local);
    return local;
  }

  #remove(run: string): void {
    const local = this.#local.get(run);
    if (local === undefined) return;
    this.#local.delete(run);
    this.#context.waitingCalls.remove(local);
    local.pages.close();
    for (const clientPort of local.clientPorts) clientPort.onRunEnded?.();
  }

  /** Records an answer that was given on a page in the log. */
  #recordOf(run: string): RecordReply {
    const { runs, settings } = this.#context;
    return async ({ key, attempt }, reply) => {
      try {
        const answer = { run, key, reply, principal: undefined, attempt, via: "page" } as const;
        await answerQuestion(runs, answer, settings);
      } catch (error) {
        // Another answer was first, or the question is in no log.
        if (!(error instanceof AnswerRejected)) settings.report(error);
      }
    };
  }
}

const refused = (reason: string): Continued => ({ result: errorResult(reason) });

/** The questions of a round that were open before, and were not answered since: the log may be ahead of the list of open rounds. */
const stillAsked = (before: Round, round: Round, answered?: ReadonlySet<string>): Round =>
  Object.fromEntries(
    Object.entries(round).filter(([key, question]) => isIn(before, question) && answered?.has(key) !== true),
  );

const relayable = (round: Round): Round =>
  Object.fromEntries(
    asksIn(round).flatMap((question) =>
      notRelayableReason(question) === undefined ? [[question.key, question]] : [],
    ),
  );

function timeoutsIn(round: Round, now: number): { readonly [key: string]: Reply } {
  const late = Object.values(round).filter((question) => isExpired(question, now));
  return Object.fromEntries(late.map(({ key }) => [key, { action: "timeout" }]));
}
