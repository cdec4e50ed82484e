/**
 * Calls that were handed over, and the two tools that continue them.
 *
 *   1. A tool is called: a `HandedOverCall` runs its body in front of the client, and asks the client the questions that it can show.
 *   2. A round that the client cannot show ends the call with a text for the model. The round stays open: in the store, if the tool is
 *      durable and there is a store; otherwise with the suspended body. A `LocalRun` has what only this process knows of the run.
 *   3. `photon_continue` waits for answers on pages; `photon_answer` has the answer that the model passes on.
 *   4. With answers, the call continues the body (which is replayed from the log first, if the run is in the store) like a call in 1.
 *      Without, the text is given again.
 *
 * A call belongs to the principal that began it. To other principals it does not exist.
 */
import { RunCancelled } from "@photon/core";
import type { Accounts } from "../accounts.ts";
import type { WaitingCalls } from "../calls/waiting-calls.ts";
import type { Catalog } from "../catalog.ts";
import type { OpenRun, RunRepository } from "../durable/run-repository.ts";
import { isRecord } from "../jsonrpc/messages.ts";
import type { PageHost } from "../pages/page-host.ts";
import type { Settings } from "../settings.ts";
import { formatOwnedRun, parseOwnedRun } from "./continue-tools.ts";
import type { LocalRun } from "./local-run.ts";

interface HandoverContext {
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly waitingCalls: WaitingCalls;
  readonly pageHost: PageHost;
  readonly catalog: Catalog;
  /** The runs of durable tools, if there is a store. */
  readonly runs: RunRepository | undefined;
}

export class HandoverManager {
  readonly context: HandoverContext;
  /** The runs that wait, as far as this process knows them, by id. */
  readonly #localRuns = new Map<string, LocalRun>();
  /** How often the server was closed: a call that waits since before then is not continued. */
  closes = 0;

  constructor(context: HandoverContext) {
    this.context = context;
  }

  /** The process in whose memory the run of a model's call waits, if that is another process. */
  ownerOf(input: unknown): string | undefined {
    const { runs } = this.context;
    const ref = isRecord(input) ? input["run"] : undefined;
    if (runs === undefined || typeof ref !== "string") return undefined;
    const { process } = parseOwnedRun(ref);
    return process === runs.process ? undefined : process;
  }

  /** The reference by which a model continues a run that waits in this process. Resolves when other processes know that this one is alive. */
  async refTo(run: string): Promise<string> {
    const { runs, settings } = this.context;
    // If the message is lost, this process still continues the call.
    await runs?.announceProcess().catch(settings.report);
    return formatOwnedRun(run, runs?.process);
  }

  find(id: string): LocalRun | undefined {
    return this.#localRuns.get(id);
  }

  /** Throws where the limits allow no further call that waits. */
  assertCapacity(local: LocalRun): void {
    if (!this.#localRuns.has(local.id)) this.context.waitingCalls.assertCapacity(local.account);
  }

  add(local: LocalRun, until: number): void {
    this.context.waitingCalls.add(local, until);
    this.#localRuns.set(local.id, local);
  }

  /** Removes a run that has ended, or that this process need not know any more, and closes its pages. */
  remove(local: LocalRun): void {
    if (this.#localRuns.get(local.id) === local) this.#localRuns.delete(local.id);
    this.context.waitingCalls.remove(local);
    local.waiting = undefined;
    local.pages.close();
    for (const clientPort of local.clientPorts) clientPort.onRunEnded?.();
  }

  /** Whether a page of this process has a reply to one of the open questions, which may be in no log. */
  async hasPageReply({ run, round }: OpenRun): Promise<boolean> {
    return Object.keys((await this.#localRuns.get(run)?.pageReplies(round)) ?? {}).length > 0;
  }

  /** A run was answered or continued, here or in another process: closes the pages of questions that are not open any more. */
  onRunEvent(run: string): void {
    const local = this.#localRuns.get(run);
    if (local !== undefined) this.#closeAnsweredPages(local).catch(this.context.settings.report);
  }

  async #closeAnsweredPages(local: LocalRun): Promise<void> {
    const open = await this.context.runs?.opened(local.id);
    if (open === undefined) this.remove(local);
    else await local.closePagesExcept(open.round);
  }

  /** Closes the bodies that wait here. Runs in the store wait there. */
  async close(): Promise<void> {
    this.closes += 1;
    const reason = new RunCancelled("The server was closed.");
    await Promise.all([...this.#localRuns.values()].map((local) => local.close(reason)));
  }
}
