/**
 * The client's side of a call on a session: questions are requests to the client,
 * sent on the stream of the call, one after another.
 */
import {
  askFirst,
  RunCancelled,
  UrlRequired,
  type Client,
  type Emit,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
  type Run,
  type RunOptions,
} from "@photon/core";
import type { Front } from "../call.ts";
import { clientIn } from "../mcp/client.ts";
import { inputRequestFor, replyTo } from "../mcp/input-requests.ts";
import { ProgressCounter } from "../mcp/progress.ts";
import type { Features } from "../mcp/revisions.ts";
import { OVER_LIMIT, RpcError, URL_ELICITATION_REQUIRED } from "../rpc/errors.ts";
import type { Notification, RequestId, Wire } from "../rpc/message.ts";
import { ClientError, LineClosed, TakenBack, type Asking } from "../rpc/requests.ts";
import type { Settings } from "../settings.ts";
import type { Home } from "./home.ts";
import { ProofOfReading } from "./proof-of-reading.ts";

const HEARTBEAT = 15_000;

export class LegacyFront implements Front {
  /** Whoever must go elsewhere first is told by an error, and calls again. */
  readonly visits = false;
  readonly #home: Home;
  readonly #request: RequestId;
  readonly #progress = new ProgressCounter();
  readonly #token: RequestId | undefined;
  readonly #logger: string;
  readonly #closed = new AbortController();
  readonly #reading: ProofOfReading;
  #run: Run<unknown> | undefined;
  /** The url questions that were accepted; the client is told when they are done with. */
  readonly #elicitations: string[] = [];

  constructor(home: Home, request: RequestId, token: RequestId | undefined, logger: string) {
    this.#home = home;
    this.#request = request;
    this.#logger = logger;
    this.#reading = new ProofOfReading(home, request, this.#closed.signal);
    this.#token = token;
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

  options(): Pick<RunOptions, "runId" | "journal" | "trace"> {
    return {};
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
    const notification = this.#token === undefined ? undefined : this.#progress.of(effect, this.#token);
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

  refusal(error: unknown): RpcError | undefined {
    if (!(error instanceof UrlRequired) || !this.features.since2511 || !this.client.can.url) return undefined;
    const elicitations = error.urls.map(({ message, url }) => ({
      mode: "url",
      elicitationId: crypto.randomUUID(),
      url,
      message,
    }));
    return new RpcError(URL_ELICITATION_REQUIRED, error.message, { elicitations });
  }

  /** Settles when a result may be sent: after everything that was told before it. */
  async settled(result: Wire): Promise<void> {
    // What was accepted was consented to; only a call that came to its end shows that it was done.
    const done = result["isError"] === true ? [] : this.#elicitations.splice(0);
    for (const elicitationId of done) {
      await this.#tell({
        jsonrpc: "2.0",
        method: "notifications/elicitation/complete",
        params: { elicitationId },
      });
    }
    if (this.#home.coalesces) await this.#reading.wait();
  }

  /** Asks the client. Before it answers, it has read what it was told before. */
  async #hear<T>(
    asking: Asking,
    read: (result: Wire) => { readonly value: T } | { readonly problem: string },
  ): Promise<T> {
    const heard = await this.#home.requests.ask(asking, read);
    this.#reading.given();
    return heard;
  }

  /** Puts one question to the client. */
  async #put(question: OpenQuestion, run: Run<unknown>, signal: AbortSignal): Promise<Reply> {
    // Never 0, and the same for the same question of the same run.
    const id = `${run.id}:${question.key}:${question.attempt}`;
    const asking = { id, about: this.#request, signal };
    const wanted = inputRequestFor(question, this.client.can, this.features, id);
    if ("unsupported" in wanted) return { action: "unsupported", reason: wanted.unsupported };
    try {
      const reply = await this.#hear({ ...asking, ...wanted }, (result) =>
        replyTo(question, result, this.features),
      );
      const isUrl = question.emit === "ask" && question.ask === "url";
      if (isUrl && reply.action === "accept") this.#elicitations.push(id);
      return reply;
    } catch (error) {
      return replyForFailure(error, this.settings.report);
    }
  }

  /** Tells the client something on the stream of the call; a call that was closed has none any more. */
  #tell(notification: Notification): void | Promise<void> {
    if (this.#closed.signal.aborted) return;
    return this.#home.send(notification, this.#request);
  }

  async #tellProgress(notification: Notification): Promise<void> {
    await this.#tell(notification);
    this.#reading.told();
  }

  /** Signs of life while a person thinks, if the client wants any. */
  #beat(): () => void {
    const token = this.#token;
    if (token === undefined) return () => {};
    let stop = (): void => {};
    const again = (): void => {
      stop = this.settings.clock.after(HEARTBEAT, () => {
        void this.#tellProgress(this.#progress.heartbeat(token));
        again();
      });
    };
    again();
    return () => stop();
  }
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
  if (error instanceof LineClosed || error instanceof TakenBack) return { action: "cancel" };
  report(error);
  if (!(error instanceof ClientError)) return { action: "cancel" };
  // -1 is what the specification gives for a person who rejected a request for a sample.
  if (error.code === -1) return { action: "decline" };
  return error.code === -32601 || error.code === -32602
    ? { action: "unsupported", reason: `the client refused it: ${error.message}` }
    : { action: "cancel" };
}
