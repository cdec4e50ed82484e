/**
 * Forwards a request to the process that alone has its call.
 *
 *   1. The request waits while that process is alive. If it has ended, the call is lost, and the client gets an error.
 *   2. Notifications come back in order, before the response.
 *   3. A client that disconnects cancels the request in the other process, too.
 */
import type { ServerContext } from "../context.ts";
import { every, sleep } from "../util/timers.ts";
import { LightAbortSignal } from "../util/light-abort.ts";
import { withSerializationErrors } from "../jsonrpc/errors.ts";
import type { Request } from "../jsonrpc/messages.ts";
import type { HandleStateless, StatelessResponse, RequestContext } from "../connection.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { ForwardMessage } from "../durable/process-bus.ts";

/** How often the server tries to send a response while the store cannot be reached: once in each lease. */
const MAX_SENDS = 20;

interface ForwardedRequest {
  readonly caller: RequestContext;
  /** Called without a response if the other process has ended. */
  readonly onResponse: (response: StatelessResponse | undefined) => void;
}

export class OwnerForwarding {
  readonly #runs: RunRepository;
  readonly #context: Pick<ServerContext, "settings" | "accounts">;
  /** Answers the requests of other processes. */
  readonly #handle: HandleStateless;
  /** The requests that this process forwarded, by the names of their messages. */
  readonly #forwarded = new Map<string, ForwardedRequest>();
  /** The requests of other processes that this process answers. */
  readonly #received = new Map<string, LightAbortSignal>();

  constructor(
    runs: RunRepository,
    context: Pick<ServerContext, "settings" | "accounts">,
    handle: HandleStateless,
  ) {
    this.#runs = runs;
    this.#context = context;
    this.#handle = handle;
    runs.bus.onForward = (name, message) => this.#receive(name, message);
  }

  /** Resolves to the response of the other process; to `undefined` if that process has ended. */
  async forward(
    process: string,
    request: Request,
    caller: RequestContext,
  ): Promise<StatelessResponse | undefined> {
    await this.#runs.bus.subscribe();
    if (!(await this.#runs.isAlive(process))) return undefined;
    const name = crypto.randomUUID();
    const { signal, principal } = caller;
    const response = new Promise<StatelessResponse | undefined>((onResponse) => {
      this.#forwarded.set(name, { caller, onResponse });
    });
    const onDisconnect = (): void => void this.#send(process, name, { closed: true });
    signal.addEventListener("abort", onDisconnect);
    const stopChecking = this.#checkAlive(process, name);
    try {
      if (signal.aborted) return undefined;
      await this.#runs.bus.forward(process, name, { request, principal, from: this.#runs.process });
      return await response;
    } finally {
      stopChecking();
      signal.removeEventListener("abort", onDisconnect);
      this.#forwarded.delete(name);
    }
  }

  /** Checks regularly whether a process is alive, for a request that waits for it. */
  #checkAlive(process: string, name: string): () => void {
    const { clock, lease, report } = this.#context.settings;
    return every(clock, lease, () => {
      this.#runs.isAlive(process).then(
        (isAlive) => isAlive || this.#forwarded.get(name)?.onResponse(undefined),
        (error: unknown) => report(error),
      );
    });
  }

  #receive(name: string, message: ForwardMessage): void {
    if ("request" in message) void this.#answer(name, message);
    else if ("closed" in message) this.#received.get(name)?.abort();
    else if ("response" in message) this.#forwarded.get(name)?.onResponse(message.response);
    else void this.#forwarded.get(name)?.caller.notify(message.notification);
  }

  /** Answers a request that another process has forwarded. */
  async #answer(
    name: string,
    { from, request, principal }: Extract<ForwardMessage, { request: Request }>,
  ): Promise<void> {
    const { settings, accounts } = this.#context;
    const signal = new LightAbortSignal();
    this.#received.set(name, signal);
    const { response, status } = await this.#handle(request, {
      principal,
      // The other process knows the client's address; here the request counts for the principal.
      account: accounts.of(principal),
      weight: estimateBytes(request),
      signal,
      notify: async (notification) => {
        await this.#send(from, name, { notification });
      },
    });
    this.#received.delete(name);
    const answer = withSerializationErrors(response, settings.report, (sent) => {
      // Throws here, and not in each attempt to send it, if the response is not JSON.
      JSON.stringify(sent);
      return { response: sent, status };
    });
    for (let sends = 0; sends < MAX_SENDS; sends++) {
      if (await this.#send(from, name, { response: answer })) return;
      await sleep(settings.clock, settings.lease);
    }
  }

  /** Returns whether the message was sent. */
  async #send(process: string, name: string, message: ForwardMessage): Promise<boolean> {
    try {
      await this.#runs.bus.forward(process, name, message);
      return true;
    } catch (error) {
      this.#context.settings.report(error);
      return false;
    }
  }
}
