/** Loads the handler of 2026-07-28 with its first request, so that a server with clients of older revisions starts faster. */
import type { BackgroundWorker } from "../background/worker.ts";
import type { HandleStateless, RequestContext, StatelessResponse } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import { errorResponse, toRpcError } from "../jsonrpc/errors.ts";
import type { Request } from "../jsonrpc/messages.ts";
import type { StatelessHandler } from "./handler.ts";

export class LazyStatelessHandler {
  readonly #context: ServerContext;
  readonly #background: BackgroundWorker | undefined;
  #handler: StatelessHandler | undefined;
  #loading: Promise<StatelessHandler> | undefined;

  constructor(context: ServerContext, background: BackgroundWorker | undefined) {
    this.#context = context;
    this.#background = background;
    // Other processes may forward requests to this one.
    if (context.runs !== undefined) this.load().catch(context.settings.report);
  }

  load(): Promise<StatelessHandler> {
    this.#loading ??= import("./handler.ts").then(({ StatelessHandler: Loaded }) => {
      this.#handler = new Loaded(this.#context, this.#background);
      return this.#handler;
    });
    return this.#loading;
  }

  /** Creates no promise of its own once the handler is loaded. */
  readonly answer: HandleStateless = (request, caller) =>
    this.#handler?.answer(request, caller) ?? this.#answerOnceLoaded(request, caller);

  async close(): Promise<void> {
    // If the handler could not be loaded, its requests were answered with the error.
    await (await this.#loading?.catch(() => undefined))?.close();
  }

  onRunMoved(run: string): void {
    this.#handler?.onRunMoved(run);
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
