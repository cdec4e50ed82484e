/**
 * A session of Streamable HTTP that every process with the same store can continue.
 *
 *   1. A call lives in the process that received it. A message for it that reaches another process is forwarded: an answer to
 *      a durable run is appended to the log of the run, everything else is published to the process that has the call.
 *   2. A client may resume the stream of a call in any process, which replays the run.
 *   3. A terminated session has ended in every process: its token expires before the store forgets the termination.
 */
import type { Reply } from "@photon/core";
import { isForPage, parseResultOrUnsupported, replyToError } from "../protocol/input-requests.ts";
import type { Features, Revision } from "../protocol/revisions.ts";
import { INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Notification, RequestId, Response, JsonObject } from "../jsonrpc/messages.ts";
import { ClientError } from "../jsonrpc/outgoing-requests.ts";
import { answerIfAwaited, type OpenQuestionRef, findOpenQuestion } from "../durable/submit-answer.ts";
import type { SessionListener } from "../durable/process-bus.ts";
import { recordCancel, recordSessionEnd } from "../durable/cancelled-calls.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import { isTooQuick } from "../client-trust.ts";
import type { DeclaredClient } from "../protocol/client-info.ts";
import type { SealedBox } from "../crypto/sealed-box.ts";

/** The session itself, in this process. */
export interface SharedSessionMember extends SessionListener {
  readonly features: Features;
  readonly settings: Pick<Settings, "minReadingTime" | "report">;
  /** Continues a call that began in another process. */
  resumeCall(leased: LeasedLog): void;
}

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
  readonly #member: SharedSessionMember;
  readonly #attending: Promise<() => void>;

  constructor(token: string, claims: SharedSessionClaims, runs: RunRepository, member: SharedSessionMember) {
    this.token = token;
    this.claims = claims;
    this.#runs = runs;
    this.#member = member;
    this.#attending = runs.onSessionEvents(claims.id, member);
    this.#attending.catch((error: unknown) => member.settings.report(error));
  }

  /**
   * Forwards a response to a question that another process asked. That process decides about a reply that no person gave: it may
   * ask by other means. If it no longer runs, "unsupported" is recorded as the reply.
   */
  async answer(response: Response): Promise<void> {
    const awaited = await this.#awaited(response.id);
    if (awaited === undefined) return this.publish(response);
    const { open } = awaited;
    const reply = this.#parseResponse(response, awaited);
    const isQuick = isTooQuick(reply.action, this.#runs.now() - open.since, this.#member.settings);
    const isForOwner = reply.action === "unsupported" && (await this.#runs.isLive(open));
    if (isQuick || isForOwner) return this.publish(response);
    await answerIfAwaited(this.#runs, () => this.#awaited(response.id), reply);
  }

  /** Publishes a message of the client to the other processes. */
  async publish(message: Response | Notification): Promise<void> {
    await this.#runs.publish({ session: this.claims.id, message: message as JsonObject & typeof message });
  }

  /** The client cancels a call that another process has. */
  async cancel(request: RequestId, message: Notification): Promise<void> {
    // Published also if the store refuses the record.
    await Promise.all([recordCancel(this.#runs, this.claims.id, request), this.publish(message)]);
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
    await this.#runs.publish({ moved: run, to: process, returns: log.returns });
    const leased = await this.#runs.findLeased(run);
    // The log was there a moment ago.
    if (leased === undefined) throw new RpcError(INVALID_REQUEST, "The run of this call is no longer kept.");
    // The client disconnected while this process waited for the lease, and may have resumed in another process.
    if (!client.isConnected) {
      await leased.release();
      return false;
    }
    const { returns } = leased.log;
    // The client may have resumed in another process after the first message was published.
    if (returns > log.returns) await this.#runs.publish({ moved: run, to: process, returns });
    this.#member.resumeCall(leased);
    return true;
  }

  /** Records that the client has terminated the session, for every process. Idempotent; throws when the store refuses it. */
  async recordTermination(): Promise<void> {
    await recordSessionEnd(this.#runs, this.claims.id);
    await this.#runs.publish({ over: this.claims.id });
  }

  leave(): void {
    void this.#attending.then(
      (leave) => leave(),
      () => {},
    );
  }

  /** The question that a response belongs to, if its run is durable. One process knows the questions that are answered on a page. */
  async #awaited(id: RequestId | undefined): Promise<OpenQuestionRef | undefined> {
    const [, run = "", key = "", attempt = ""] = /^([^:]+):(.*):(\d+)$/s.exec(String(id)) ?? [];
    const awaited = run === "" ? undefined : await findOpenQuestion(this.#runs, run, key, Number(attempt));
    const isOwn = awaited?.open.session?.id === this.claims.id && !isForPage(awaited.question);
    return isOwn ? awaited : undefined;
  }

  #parseResponse(response: Response, { question }: OpenQuestionRef): Reply {
    const { features, settings } = this.#member;
    if ("result" in response)
      return parseResultOrUnsupported(
        question,
        response.result,
        features,
        this.claims.client,
        settings.report,
      );
    return replyToError(new ClientError(response.error), settings.report);
  }
}

/** What the sealed session id contains: the handshake, so that no store is asked for it. Bound to one principal. */
export interface SharedSessionClaims {
  readonly id: string;
  readonly revision: Revision;
  readonly client: DeclaredClient;
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

export const sealSessionToken = (claims: SharedSessionClaims, sealedBox: SealedBox): string =>
  sealedBox.encrypt(JSON.stringify(claims), AAD);

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
