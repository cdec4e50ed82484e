/**
 * The requests of a session that are under way.
 *
 *   1. An id belongs to one request, until that is answered or cancelled.
 *   2. A request that was cancelled is not answered. It counts until its body has ended.
 *   3. Closing waits for every answer, and for the bodies of cancelled requests. Durable calls are detached, and not answered.
 */
import { milliseconds } from "@photon/core";
import type { Account } from "../accounts.ts";
import { Roster } from "../util/compact-map.ts";
import { CALL_BYTES } from "../calls/waiting-calls.ts";
import { inTime, START_TIMEOUT_MS, untilTrue } from "../util/timers.ts";
import { INVALID_REQUEST, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { RequestId } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";
import type { Call } from "./call.ts";
import type { LegacyFront } from "./legacy-front.ts";

export class Calls {
  readonly #settings: Pick<Settings, "clock" | "grace" | "limits">;
  readonly #account: Account;
  readonly #byId = new Roster<RequestId, Call>();
  /** Those that were cancelled, and whose bodies have not ended. */
  #cancelled: Set<Call> | undefined;
  /** How many run a body. */
  #running = 0;
  /** Called when none is under way any more, if somebody waits for that. */
  #onEmpty: (() => void) | undefined;

  constructor(settings: Pick<Settings, "clock" | "grace" | "limits">, account: Account) {
    this.#settings = settings;
    this.#account = account;
  }

  /** Throws where the id is in use, or there is no memory for the request. */
  begin(call: Call, weight: number): void {
    const { id } = call;
    if (this.#byId.has(id)) {
      throw new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    }
    this.#reserve(call, weight, false);
    this.#byId.set(id, call);
  }

  /** A call keeps an answer that its client sent. Throws where there is no memory for it. */
  grow(call: Call, weight: number): void {
    this.#reserve(call, weight, true);
  }

  /** Lets a call run a body, if there is room for one more. A run that began before, maybe in another process, needs memory only. */
  run(call: Call, front: LegacyFront, isContinued: boolean): void {
    const { runsPerSession } = this.#settings.limits;
    const isNew = call.front === undefined;
    if (isNew && !isContinued && this.#running >= runsPerSession) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has reached its limit of calls under way (${runsPerSession}); wait for one to end.`,
      );
    }
    if (isNew) {
      this.#reserve(call, CALL_BYTES, isContinued);
      this.#running += 1;
    }
    call.front = front;
  }

  end(call: Call): void {
    this.#account.release(call.weight);
    call.weight = 0;
    const isUnderWay = call.isCancelled ? this.#cancelled?.delete(call) : this.#byId.delete(call.id);
    if (isUnderWay === true && call.front !== undefined) this.#running -= 1;
    if (this.#byId.size === 0 && (this.#cancelled?.size ?? 0) === 0) this.#onEmpty?.();
  }

  /** Cancels a request that is under way: its id is free from now on. Gives back what was cancelled. */
  cancel(id: RequestId, reason: Error): Call | undefined {
    const call = this.#byId.get(id);
    if (call?.isCancellable !== true) return undefined;
    call.isCancelled = true;
    this.#byId.delete(id);
    // What runs no body cannot be closed, and is left alone.
    if (call.front !== undefined) (this.#cancelled ??= new Set()).add(call);
    void call.front?.close(reason);
    return call;
  }

  find(id: RequestId): Call | undefined {
    return this.#byId.get(id);
  }

  /**
   * Leaves a durable run to other processes. Its client is told nothing, and can come back for the rest. Resolves when the step
   * under way has ended, or the grace period is over.
   */
  async detach(call: Call, reason: Error): Promise<void> {
    if (call.front === undefined || !this.#byId.delete(call.id)) return;
    call.isCancelled = true;
    (this.#cancelled ??= new Set()).add(call);
    const { clock, grace = "5s" } = this.#settings;
    await inTime(call.detach(reason), clock, milliseconds(grace));
    this.end(call);
  }

  /** The call that a run belongs to, as long as its client waits for it. */
  ofRun(runId: string): Call | undefined {
    return this.#byId.values().find(({ front }) => front?.runId === runId);
  }

  /** `isOver`: the client has ended the session, and durable runs end with it. */
  async close(reason: Error, isOver: boolean): Promise<void> {
    if (!isOver) await this.#detachDurable(reason);
    const open = [...this.#byId.values(), ...(this.#cancelled ?? [])];
    if (open.length === 0) return;
    const { clock, grace = "5s" } = this.#settings;
    const ended = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    await Promise.all(calls.flatMap(({ front }) => front?.close(reason) ?? []));
    // What an author does without a body (completing, checking) may take no longer to end than a body may.
    await inTime(ended, clock, milliseconds(grace));
  }

  async #detachDurable(reason: Error): Promise<void> {
    const isStarted = ({ front }: Call): boolean => front?.hasStarted !== false;
    await untilTrue(() => this.#byId.values().every(isStarted), this.#settings.clock, START_TIMEOUT_MS);
    const durable = this.#byId.values().filter(({ front }) => front?.durable !== undefined);
    await Promise.all(durable.map((call) => this.detach(call, reason)));
  }

  #reserve(call: Call, weight: number, continuesCall: boolean): void {
    const exceeded = this.#account.reserveRequest(weight, continuesCall);
    if (exceeded !== undefined) throw this.#account.memoryRefusal(exceeded).error;
    call.weight += weight;
  }
}
