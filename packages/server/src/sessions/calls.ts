/**
 * The requests of a session that are under way.
 *
 *   1. An id belongs to one request, until that is answered or cancelled.
 *   2. A request that was cancelled counts until its body has ended.
 *   3. Closing waits for every body, those of cancelled requests too.
 */
import { INVALID_REQUEST, OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { RequestId } from "../rpc/message.ts";
import type { LegacyFront } from "./legacy-front.ts";

export interface Call {
  readonly id: RequestId;
  /** The client's side of it, where it runs a body. */
  front?: LegacyFront;
  isCancelled: boolean;
}

export class Calls {
  readonly #most: number;
  readonly #byId = new Map<RequestId, Call>();
  readonly #underWay = new Set<Call>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#underWay.size;
  }

  begin(id: RequestId): Call {
    if (this.#byId.has(id)) {
      throw new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    }
    const call: Call = { id, isCancelled: false };
    this.#byId.set(id, call);
    this.#underWay.add(call);
    return call;
  }

  /** Lets a call run a body, if there is room for one more. */
  run(call: Call, front: LegacyFront): void {
    const running = [...this.#underWay].filter((one) => one.front !== undefined).length;
    if (running >= this.#most) {
      throw new RpcError(
        OVER_LIMIT,
        `This session has ${this.#most} calls under way already; wait for one to end.`,
      );
    }
    call.front = front;
  }

  end(call: Call): void {
    this.#underWay.delete(call);
    if (this.#byId.get(call.id) === call) this.#byId.delete(call.id);
  }

  cancel(id: RequestId, reason: Error): void {
    const call = this.#byId.get(id);
    // A request without a body has nothing to cancel: it is answered at once.
    if (call?.front === undefined) return;
    call.isCancelled = true;
    this.#byId.delete(id);
    void call.front.close(reason);
  }

  /** The call that a run belongs to. */
  ofRun(runId: string): Call | undefined {
    return [...this.#underWay].find(({ front }) => front?.runId === runId);
  }

  async close(reason: Error): Promise<void> {
    await Promise.all([...this.#underWay].flatMap(({ front }) => front?.close(reason) ?? []));
  }
}
