/**
 * The requests of a session that are under way.
 *
 *   1. An id belongs to one request, until that is answered or cancelled.
 *   2. A request that was cancelled is not answered. It counts until its body has ended.
 *   3. Closing waits for every answer, and for the bodies of cancelled requests.
 */
import { milliseconds } from "@photon/core";
import { inTime } from "../in-time.ts";
import { INVALID_REQUEST, OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { Request, RequestId } from "../rpc/message.ts";
import type { Settings } from "../settings.ts";
import type { LegacyFront } from "./legacy-front.ts";

export interface Call {
  readonly id: RequestId;
  /** The one request that a client cannot cancel is `initialize`. */
  readonly isCancellable: boolean;
  isCancelled: boolean;
  /** The client's side of it, where it runs a body. */
  front?: LegacyFront;
  /** Settles when it was answered, or its body has ended without an answer. */
  answered?: Promise<void>;
  /** Says, where it is cancelled, that there will be no answer. */
  readonly leave: () => void;
}

export class Calls {
  readonly #settings: Pick<Settings, "clock" | "grace" | "limits">;
  readonly #byId = new Map<RequestId, Call>();
  readonly #underWay = new Set<Call>();
  /** How many of them run a body. */
  #running = 0;

  constructor(settings: Pick<Settings, "clock" | "grace" | "limits">) {
    this.#settings = settings;
  }

  begin({ id, method }: Request, leave: () => void): Call {
    if (this.#byId.has(id)) {
      throw new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    }
    const call: Call = { id, isCancellable: method !== "initialize", isCancelled: false, leave };
    this.#byId.set(id, call);
    this.#underWay.add(call);
    return call;
  }

  /** Lets a call run a body, if there is room for one more. */
  run(call: Call, front: LegacyFront): void {
    const { runsPerSession } = this.#settings.limits;
    if (this.#running >= runsPerSession) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has ${runsPerSession} calls under way already; wait for one to end.`,
      );
    }
    if (call.front === undefined) this.#running += 1;
    call.front = front;
  }

  end(call: Call): void {
    if (this.#underWay.delete(call) && call.front !== undefined) this.#running -= 1;
    if (this.#byId.get(call.id) === call) this.#byId.delete(call.id);
  }

  /** Cancels a request that is under way: its id is free from now on. */
  cancel(id: RequestId, reason: Error): void {
    const call = this.#byId.get(id);
    if (call?.isCancellable !== true) return;
    call.isCancelled = true;
    this.#byId.delete(id);
    // What runs no body cannot be closed, and is left alone.
    if (call.front === undefined) this.#underWay.delete(call);
    void call.front?.close(reason);
    call.leave();
  }

  /** The call that a run belongs to, as long as its client waits for it. */
  ofRun(runId: string): Call | undefined {
    return [...this.#byId.values()].find(({ front }) => front?.runId === runId);
  }

  async close(reason: Error): Promise<void> {
    const calls = [...this.#underWay];
    if (calls.length === 0) return;
    await Promise.all(calls.flatMap(({ front }) => front?.close(reason) ?? []));
    const { clock, grace = "5s" } = this.#settings;
    const answered = Promise.all(calls.flatMap((call) => call.answered ?? []));
    // What an author does without a body (completing, checking) may take no longer to end than a body may.
    await inTime(answered, clock, milliseconds(grace));
  }
}
