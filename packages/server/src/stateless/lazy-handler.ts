/**
 * Loads the handler of 2026-07-28 with its first request, so that a server with clients of older revisions starts faster.
 */
import type { ServerContext } from "../context.ts";
import { errorResponse, toRpcError } from "../jsonrpc/errors.ts";
import type { Request } from "../jsonrpc/messages.ts";
import type { StatelessResponse, RequestContext } from "../connection.ts";
import type { BackgroundWorker } from "../background/worker.ts";
import type { StatelessHandler } from "./handler.ts";

export class LazyStatelessHandler {
  readonly #context: ServerContext;
  readonly #unattended: BackgroundWorker | undefined;
  #handler: StatelessHandler | undefined;
  #loading: Promise<StatelessHandler> | undefined;

  constructor(context: ServerContext, unattended: BackgroundWorker | undefined) {
    this.#context = context;
    this.#unattended = unattended;
    // Other processes may have something for this one to answer.
    if (context.runs !== undefined) this.load().catch(context.settings.report);
  }

  /** Loads it before the first request. */
  load(): Promise<StatelessHandler> {
    this.#loading ??= import("./handler.ts").then(({ StatelessHandler: Loaded }) => {
      this.#handler = new Loaded(this.#context, this.#unattended);
      return this.#handler;
    });
    return this.#loading;
  }

  answer(request: Request, caller: RequestContext): Promise<StatelessResponse> {
    return this.#handler?.answer(request, caller) ?? this.#answerOnceLoaded(request, caller);
  }

  async close(): Promise<void> {
    // Where it could not be loaded, everybody was told.
    await (await this.#loading?.catch(() => undefined))?.close();
  }

  moved(run: string): void {
    this.#handler?.moved(run);
  }

  async #answerOnceLoaded(request: Request, caller: RequestContext): Promise<StatelessResponse> {
    try {
      const handler = await this.load();
      return await handler.answer(request, caller);
    } catch (error) {
      const problem = toRpcError(error, this.#context.settings.report);
      return { response: errorResponse(request.id, problem), status: 500 };
    }
  }
}
