/**
 * Where a call on an SDK server is at home: what its front sends, the SDK sends.
 *
 *   1. Everything goes by the call's own `extra`, so that it travels on the stream of the call.
 *   2. Deadlines are ours: the SDK's own, 60 s, never falls due first.
 *   3. A question that is no longer wanted is cancelled on the wire; one that was answered is not.
 */
import {
  EmptyResultSchema,
  McpError,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { clientForTools } from "../protocol/client-info.ts";
import {
  type ResponseHandler,
  type OutgoingRequest,
  ClientError,
  ConnectionClosed,
  type OutgoingRequests,
} from "../jsonrpc/outgoing-requests.ts";
import type { SessionContext } from "../sessions/session-client.ts";
import type { Extra, LowServer, SdkSession } from "./sdk-session.ts";

/** The longest that a timer of the SDK waits; beyond it, it fires at once. */
const LONGEST = 2 ** 31 - 1;
/** The code the SDK gives an error of its own where the client is gone. */
const CONNECTION_CLOSED = -32000;

/** The servers whose request number 0 is spent. */
const counting = new WeakSet<LowServer>();

export function homeOf(session: SdkSession, extra: Extra): SessionContext {
  const { settings, features, client } = session;
  return {
    settings,
    features,
    client,
    known: clientForTools(client),
    // Everybody who comes to an SDK server is its own business.
    principal: "",
    trust: session.trust,
    deadlines: session.deadlines,
    mayMergeReads: true,
    get ignoresPings() {
      return session.isMute;
    },
    set ignoresPings(isMute) {
      session.isMute = isMute;
    },
    requests: new SdkRequests(session, extra),
    isLogged: (level) => session.isLogged(level),
    async send(message) {
      try {
        // A `SessionClient` sends only notifications that a server may send.
        await extra.sendNotification(message as ServerNotification);
      } catch (error) {
        if (!extra.signal.aborted) settings.report(error);
      }
    },
  };
}

/** What a call asks its client, which is one thing at a time. */
class SdkRequests implements Pick<OutgoingRequests, "send" | "cancel" | "size"> {
  readonly #session: SdkSession;
  readonly #extra: Extra;
  /** Ends what is being asked. */
  #unwanted: AbortController | undefined;

  constructor(session: SdkSession, extra: Extra) {
    this.#session = session;
    this.#extra = extra;
  }

  get size(): number {
    return this.#session.asks;
  }

  send(asking: OutgoingRequest, asker: ResponseHandler): void {
    void this.#ask(asking, asker);
  }

  cancel(): void {
    this.#unwanted?.abort("No longer wanted.");
  }

  async #ask({ method, params }: OutgoingRequest, asker: ResponseHandler): Promise<void> {
    const unwanted = new AbortController();
    this.#unwanted = unwanted;
    const { countsAsQuestion: isQuestion } = asker;
    if (isQuestion) spendZero(this.#extra, this.#session.server);
    if (isQuestion) this.#session.asks += 1;
    let heard: () => void;
    try {
      // A `SessionClient` sends only requests that a server may send.
      const request = { method, ...(params === undefined ? {} : { params }) } as ServerRequest;
      const options = { signal: unwanted.signal, timeout: LONGEST };
      const result = await this.#extra.sendRequest(request, ResultSchema, options);
      heard = () => asker.onResult(result);
    } catch (error) {
      heard = () => asker.onError(failureOf(error));
    }
    if (isQuestion) this.#session.asks -= 1;
    if (this.#unwanted === unwanted) this.#unwanted = undefined;
    if (!unwanted.signal.aborted) heard();
  }
}

/** An SDK server numbers its requests from 0, and an SDK client ignores that its number 0 is cancelled: a ping takes it. */
function spendZero(extra: Extra, server: LowServer): void {
  if (counting.has(server)) return;
  counting.add(server);
  // The response is not used.
  void extra.sendRequest({ method: "ping" }, EmptyResultSchema).catch(() => {});
}

/** What the SDK throws where the client answered with an error, or is gone. */
function failureOf(error: unknown): Error {
  if (!(error instanceof McpError)) return error instanceof Error ? error : new Error(String(error));
  return error.code === CONNECTION_CLOSED ? new ConnectionClosed() : new ClientError(error);
}
