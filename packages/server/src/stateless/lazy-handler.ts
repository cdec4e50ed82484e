/**
 * The exchanges of a server, loaded with the first request that stands alone: clients of older revisions send none, and do
 * not wait for that.
 */
import type { House } from "../context.ts";
import { errorResponse, rpcErrorOf } from "../jsonrpc/errors.ts";
import type { Request } from "../jsonrpc/messages.ts";
import type { Answer, Caller } from "../connection.ts";
import type { Unattended } from "../background/worker.ts";
import type { Exchanges } from "./handler.ts";

export class ExchangesWhenNeeded {
  readonly #house: House;
  readonly #unattended: Unattended | undefined;
  #exchanges: Exchanges | undefined;
  #loading: Promise<Exchanges> | undefined;

  constructor(house: House, unattended: Unattended | undefined) {
    this.#house = house;
    this.#unattended = unattended;
    // Other processes may have something for this one to answer.
    if (house.runs !== undefined) this.load().catch(house.settings.report);
  }

  /** At once: whoever has time for it need not leave it to the first request. */
  load(): Promise<Exchanges> {
    this.#loading ??= import("./handler.ts").then(({ Exchanges: Loaded }) => {
      this.#exchanges = new Loaded(this.#house, this.#unattended);
      return this.#exchanges;
    });
    return this.#loading;
  }

  answer(request: Request, caller: Caller): Promise<Answer> {
    return this.#exchanges?.answer(request, caller) ?? this.#answerOnceLoaded(request, caller);
  }

  async close(): Promise<void> {
    // Where it could not be loaded, everybody was told.
    await (await this.#loading?.catch(() => undefined))?.close();
  }

  moved(run: string): void {
    this.#exchanges?.moved(run);
  }

  async #answerOnceLoaded(request: Request, caller: Caller): Promise<Answer> {
    try {
      const exchanges = await this.load();
      return await exchanges.answer(request, caller);
    } catch (error) {
      const problem = rpcErrorOf(error, this.#house.settings.report);
      return { response: errorResponse(request.id, problem), status: 500 };
    }
  }
}
