/**
 * A session of Streamable HTTP that every process with the same store can continue.
 *
 *   1. A call lives in the process that received it. A message for it that reaches another process is forwarded: an answer to
 *      a durable run is appended to the log of the run, everything else is published to the process that has the call.
 *   2. A client may resume the stream of a call in any process, which replays the run.
 *   3. A terminated session has ended in every process: its token expires before the store forgets the termination.
 */
import type { Client } from "@photon/core";
import {
  type ClientReply,
  isForPage,
  parseResultOrUnsupported,
  replyToError,
} from "../protocol/elicitation.ts";
import type { Revision } from "../protocol/revisions.ts";
import { INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Notification, RequestId, Response, JsonObject } from "../jsonrpc/messages.ts";
import { ClientError } from "../jsonrpc/outgoing-requests.ts";
import { answerIfAwaited, type OpenQuestionRef, findOpenQuestion } from "../durable/submit-answer.ts";
import { recordCancel, recordSessionEnd } from "../durable/cancelled-calls.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import { isTooQuick } from "../client-trust.ts";
import type { SealedBox } from "../crypto/sealed-box.ts";
import type { Session } from "./session.ts";

/** A call whose run is in the store. */
interface StoredCall {
  readonly request: RequestId;
  readonly log: RunLog;
}

const RUN_ID = /^[0-9a-f-]{36}$/;

export class SharedSession {
  /** The id that the client has: another process opens the session with it. */
  readonly token: string;
  readonly claims: SharedSessionClaims;
  readonly #runs: RunRepository;
  /** The session in this process. */
  readonly #session: Session;
  /** Resolves to a function that stops listening to the messages for the session. */
  readonly #listening: Promise<() => void>;

  constructor(token: string, claims: SharedSessionClaims, runs: RunRepository, session: Session) {
    this.token = token;
    this.claims = claims;
    this.#runs = runs;
    this.#session = session;
    this.#listening = runs.bus.onSession(claims.id, session);
    this.#listening.catch(session.server.settings.report);
  }

  /**
   * Forwards a response to a question that another process asked. That process decides about a reply that no person gave: it may
   * ask by other means. If it no longer runs, "unsupported" is recorded as the reply.
   */
  async forwardResponse(response: Response): Promise<void> {
    const found = await this.#findQuestion(response.id);
    if (found === undefined) return this.#publish(response);
    const { open } = found;
    const reply = this.#parseResponse(response, found);
    const tookMs = this.#runs.now() - open.since;
    const isQuick = isTooQuick(reply, tookMs, this.#session.server.settings);
    const isForOwner = reply.action === "unsupported" && (await this.#runs.isClaimed(open));
    if (isQuick || isForOwner) return this.#publish(response);
    await answerIfAwaited(this.#runs, () => this.#findQuestion(response.id), reply);
  }

  /** Forwards the cancellation of a call that another process has. */
  async forwardCancel(request: RequestId, message: Notification): Promise<void> {
    // Published also if the store refuses the record.
    await Promise.all([recordCancel(this.#runs, this.claims.id, request), this.#publish(message)]);
  }

  async #publish(message: Response | Notification): Promise<void> {
    await this.#runs.bus.publish({
      kind: "session-message",
      session: this.claims.id,
      message: message as JsonObject & typeof message,
    });
  }

  /** The call of this session whose client reads a stream of that name, if its run is durable. */
  async findCall(stream: string): Promise<StoredCall | undefined> {
    if (!RUN_ID.test(stream)) return undefined;
    const log = await this.#runs.find(stream);
    const session = log?.head.session;
    const isOwn = session?.id === this.claims.id && log?.head.principal === this.claims.principal;
    return isOwn && log !== undefined ? { request: session.request, log } : undefined;
  }

  /**
   * Continues a call in this process, for a client that reads its stream here from now on. Resolves with false when the client
   * has disconnected meanwhile.
   */
  async resumeCall({ log }: StoredCall, client: { readonly isConnected: boolean }): Promise<boolean> {
    const { run } = log;
    const { process } = this.#runs;
    // A process that works on the run releases its lease.
    await this.#runs.bus.publish({ kind: "run-moved", run, to: process, reconnects: log.reconnects });
    const leased = await this.#runs.findLeased(run);
    // The run has expired since `findCall`.
    if (leased === undefined)
      throw new RpcError(INVALID_REQUEST, "The store no longer has the run of this call.");
    // The client disconnected while this process waited for the lease, and may have resumed in another process.
    if (!client.isConnected) {
      await leased.release();
      return false;
    }
    const { reconnects } = leased.log;
    // The client may have resumed in another process after the first message was published.
    if (reconnects > log.reconnects)
      await this.#runs.bus.publish({ kind: "run-moved", run, to: process, reconnects });
    this.#session.resumeCall(leased);
    return true;
  }

  /** Records that the client has terminated the session, for every process. Idempotent; throws when the store refuses it. */
  async recordTermination(): Promise<void> {
    await recordSessionEnd(this.#runs, this.claims.id);
    await this.#runs.bus.publish({ kind: "session-ended", session: this.claims.id });
  }

  leave(): void {
    void this.#listening.then(
      (stop) => stop(),
      () => {},
    );
  }

  /** The question that a response replies to, if its run is durable. Questions on a page are known to one process only. */
  async #findQuestion(id: RequestId | undefined): Promise<OpenQuestionRef | undefined> {
    // The id of a `SentQuestion`.
    const [, run = "", key = "", attempt = ""] = /^([^:]+):(.*):(\d+)$/s.exec(String(id)) ?? [];
    const found = run === "" ? undefined : await findOpenQuestion(this.#runs, run, key, Number(attempt));
    const isOwn = found?.open.session?.id === this.claims.id && !isForPage(found.question);
    return isOwn ? found : undefined;
  }

  #parseResponse(response: Response, { question }: OpenQuestionRef): ClientReply {
    const { handshake, server } = this.#session;
    const { report } = server.settings;
    if ("error" in response) return replyToError(new ClientError(response.error), report);
    return parseResultOrUnsupported(
      question,
      response.result,
      handshake.features,
      this.claims.client,
      report,
    );
  }
}

/** Shares a session whose handshake was made. */
export function createSharedSession(session: Session, runs: RunRepository): SharedSession {
  const { handshake, principal, server } = session;
  const claims: SharedSessionClaims = {
    id: crypto.randomUUID(),
    revision: handshake.features.revision,
    client: handshake.client,
    wantsDetails: handshake.wantsDetails,
    principal,
    until: runs.now() + server.settings.maxWait,
  };
  const token = server.sealedBox.encrypt(JSON.stringify(claims), AAD);
  return new SharedSession(token, claims, runs, session);
}

/** The contents of the encrypted session id: the handshake, so that it need not be in the store. Bound to one principal. */
interface SharedSessionClaims {
  readonly id: string;
  readonly revision: Revision;
  readonly client: Client;
  readonly wantsDetails: boolean;
  readonly principal: string;
  /** When it expires, in milliseconds since 1970. The store remembers a termination for longer. */
  readonly until: number;
}

/** A session that began in another process. */
export interface ResumedSession {
  readonly token: string;
  readonly claims: SharedSessionClaims;
  readonly runs: RunRepository;
}

/** The additional data of the encryption. */
const AAD = "photon session";

/** The claims of a token, unless it is forged, expired or another principal's. */
export function openSessionToken(
  token: string,
  principal: string,
  sealedBox: SealedBox,
  now: number,
): SharedSessionClaims | undefined {
  const text = sealedBox.decrypt(token, AAD);
  if (text === undefined) return undefined;
  // Encrypted by this server or by another process with the same keys.
  const claims = JSON.parse(text) as SharedSessionClaims;
  return claims.principal === principal && claims.until > now ? claims : undefined;
}
