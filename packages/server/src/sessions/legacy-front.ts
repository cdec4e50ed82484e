/**
 * The client's side of a call on a session: questions are requests to the client,
 * sent on the stream of the call, one after another.
 */
import {
  askFirst,
  RunCancelled,
  type Client,
  type Emit,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type UrlRequired,
} from "@photon/core";
import type { Front } from "../call.ts";
import { elicitationFor, replyFrom } from "../mcp/elicitation.ts";
import { clientIn } from "../mcp/client.ts";
import { rootsReply, sampleReply, samplingFor } from "../mcp/client-requests.ts";
import { ProgressCounter } from "../mcp/progress.ts";
import type { Features } from "../mcp/revisions.ts";
import { OVER_LIMIT, RpcError, URL_ELICITATION_REQUIRED } from "../rpc/errors.ts";
import type { Message, Notification, RequestId } from "../rpc/message.ts";
import { ClientError, LineClosed, type Asking, type Requests } from "../rpc/requests.ts";
import type { Settings } from "../settings.ts";

const HEARTBEAT = 15_000;
/** How long a client may take to show that it has read the last progress. */
const PATIENCE = 1000;
/** How far a result stays behind the last progress where a client shows nothing. */
const GAP = 5;
const NEVER = Number.NEGATIVE_INFINITY;

/** What a front needs of the session it belongs to, ours or one of the SDK's. */
export interface Home {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  readonly requests: Pick<Requests, "ask" | "size">;
  readonly coalesces: boolean;
  /** Whether its client was pinged and did not answer in time. */
  isMute: boolean;
  send(message: Message, about: RequestId): void | Promise<void>;
  isLogged(level: string): boolean;
}

export class LegacyFront implements Front {
  readonly #home: Home;
  readonly #request: RequestId;
  readonly #progress: ProgressCounter | undefined;
  readonly #logger: string;
  readonly #closed = new AbortController();
  #run: Run<unknown> | undefined;
  /** When the last progress was told that the client has not shown to have read. */
  #lastProgress = NEVER;
  /** The url questions that were accepted; the client is told when they are done with. */
  readonly #elicitations: string[] = [];

  constructor(home: Home, request: RequestId, token: RequestId | undefined, logger: string) {
    this.#home = home;
    this.#request = request;
    this.#logger = logger;
    this.#progress = token === undefined ? undefined : new ProgressCounter(token);
  }

  get features(): Features {
    return this.#home.features;
  }

  get client(): Client {
    return clientIn(this.#home.client, this.features);
  }

  get settings(): Settings {
    return this.#home.settings;
  }

  get runId(): string | undefined {
    return this.#run?.id;
  }

  started(run: Run<unknown>): void {
    this.#run = run;
    if (this.#closed.signal.aborted) void run.close(this.#closed.signal.reason);
  }

  /** Ends the call: the question that is open is cancelled, the body closed. */
  async close(reason: Error): Promise<void> {
    this.#closed.abort(reason);
    await this.#run?.close(reason);
  }

  async emit(effect: Emit): Promise<void> {
    if (this.#closed.signal.aborted) return;
    if (effect.emit === "log") {
      if (!this.#home.isLogged(effect.level)) return;
      const { level, data } = effect;
      await this.#tell({
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level, logger: this.#logger, data },
      });
      return;
    }
    const notification = this.#progress?.of(effect);
    if (notification !== undefined) await this.#tellProgress(notification);
  }

  async ask(round: Round, run: Run<unknown>): Promise<Replies> {
    const { clock, limits } = this.settings;
    if (this.#home.requests.size >= limits.asksPerSession) {
      throw new RpcError(OVER_LIMIT, `This session has ${limits.asksPerSession} questions open already.`);
    }
    const stopBeating = this.#beat();
    try {
      return await askFirst(
        round,
        clock,
        (question, { signal }) => this.#put(question, run, signal),
        this.#closed.signal,
      );
    } finally {
      stopBeating();
    }
  }

  urlRequired(error: UrlRequired): RpcError | undefined {
    if (!this.features.since2511 || !this.client.can.url) return undefined;
    const elicitations = error.urls.map(({ message, url }) => ({
      mode: "url",
      elicitationId: crypto.randomUUID(),
      url,
      message,
    }));
    return new RpcError(URL_ELICITATION_REQUIRED, error.message, { elicitations });
  }

  /** Settles when a result may be sent: after everything that was told before it. */
  async settled(result: { readonly [field: string]: unknown }): Promise<void> {
    // What was accepted was consented to; only a call that came to its end shows that it was done.
    const done = result["isError"] === true ? [] : this.#elicitations.splice(0);
    for (const elicitationId of done) {
      await this.#tell({
        jsonrpc: "2.0",
        method: "notifications/elicitation/complete",
        params: { elicitationId },
      });
    }
    if (this.#home.coalesces) await this.#untilRead();
  }

  /**
   * Settles when the client has read the last progress. Clients built on the SDK lose what they read together with
   * the result; however long a result stayed behind, a busy client would read the two together. The answer to a ping
   * shows that it has read what came before.
   */
  async #untilRead(): Promise<void> {
    const { clock } = this.settings;
    const closed = this.#closed.signal;
    const { isMute } = this.#home;
    const patience = isMute ? GAP : PATIENCE;
    if (closed.aborted || clock.now() - this.#lastProgress >= patience) return;
    const over = new AbortController();
    const stop = (): void => over.abort();
    closed.addEventListener("abort", stop, { once: true });
    const stopWaiting = clock.after(patience, () => {
      this.#home.isMute = true;
      stop();
    });
    try {
      await (isMute ? aborted(over.signal) : this.#ping(over.signal));
    } finally {
      stopWaiting();
      closed.removeEventListener("abort", stop);
    }
  }

  async #ping(signal: AbortSignal): Promise<void> {
    const id = `${this.#run?.id}:ping`;
    try {
      await this.#hear({ id, method: "ping", about: this.#request, signal }, () => ({ value: undefined }));
    } catch {
      // An error is an answer too.
    }
  }

  /** Asks the client. Before it answers, it has read what it was told before. */
  async #hear<T>(
    asking: Asking,
    read: (result: {
      readonly [name: string]: unknown;
    }) => { readonly value: T } | { readonly problem: string },
  ): Promise<T> {
    const heard = await this.#home.requests.ask(asking, read);
    this.#lastProgress = NEVER;
    return heard;
  }

  /** Puts one question to the client. */
  async #put(question: OpenQuestion, run: Run<unknown>, signal: AbortSignal): Promise<Reply> {
    // Never 0, and the same for the same question of the same run.
    const id = `${run.id}:${question.key}:${question.attempt}`;
    const asking = { id, about: this.#request, signal };
    try {
      switch (question.emit) {
        case "sample":
          if (!this.client.can.sample)
            return { action: "unsupported", reason: "the client offers no model (sampling)" };
          return await this.#hear(
            { ...asking, method: "sampling/createMessage", params: samplingFor(question, this.features) },
            (result) => ({ value: sampleReply(result) }),
          );
        case "roots":
          if (!this.client.can.roots) return { action: "unsupported", reason: "the client has no roots" };
          return await this.#hear({ ...asking, method: "roots/list" }, (result) => ({
            value: rootsReply(result),
          }));
        case "ask": {
          const { can } = this.client;
          const wanted = elicitationFor(question, can, this.features, id);
          if ("unsupported" in wanted) return { action: "unsupported", reason: wanted.unsupported };
          const reply = await this.#hear(
            { ...asking, method: "elicitation/create", params: wanted.params },
            (result) => replyFrom(question, result, this.features),
          );
          if (question.ask === "url" && reply.action === "accept") this.#elicitations.push(id);
          return reply;
        }
        default:
          return question satisfies never;
      }
    } catch (error) {
      return replyForFailure(error, this.settings.report);
    }
  }

  #tell(notification: Notification): void | Promise<void> {
    return this.#home.send(notification, this.#request);
  }

  async #tellProgress(notification: Notification): Promise<void> {
    await this.#tell(notification);
    this.#lastProgress = this.settings.clock.now();
  }

  /** Signs of life while a person thinks, if the client wants any. */
  #beat(): () => void {
    const progress = this.#progress;
    if (progress === undefined) return () => {};
    let stop = (): void => {};
    const again = (): void => {
      stop = this.settings.clock.after(HEARTBEAT, () => {
        void this.#tellProgress(progress.heartbeat());
        again();
      });
    };
    again();
    return () => stop();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Why a call ends that its client cancelled. */
export function cancelledFor(reason: unknown): RunCancelled {
  return new RunCancelled(
    typeof reason === "string"
      ? `The client cancelled the call: ${reason}`
      : "The client cancelled the call.",
  );
}

/** What a client that answers with an error has said. It never becomes an answer. */
function replyForFailure(error: unknown, report: (error: unknown) => void): Reply {
  if (error instanceof LineClosed) return { action: "cancel" };
  report(error);
  if (!(error instanceof ClientError)) return { action: "cancel" };
  // -1 is what the specification gives for a person who rejected a request for a sample.
  if (error.code === -1) return { action: "decline" };
  return error.code === -32601 || error.code === -32602
    ? { action: "unsupported", reason: `the client refused it: ${error.message}` }
    : { action: "cancel" };
}
