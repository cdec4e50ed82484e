/**
 * A session that any process with the same store goes on with, whichever a message of its client reaches.
 *
 *   1. Its calls live in the process that they came to. What belongs to one and comes to another process is passed on:
 *      an answer to a run that the store keeps into its log, everything else to whoever has the call.
 *   2. A client that comes back for the rest of a call comes back to any process: the run is replayed there.
 *   3. One that was ended is over everywhere, and for good: its passport is good for no longer than that is remembered.
 */
import type { Reply } from "@photon/core";
import { isForPage, replyOnce } from "../protocol/input-requests.ts";
import type { Features, Revision } from "../protocol/revisions.ts";
import { INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Notification, RequestId, Response, JsonObject } from "../jsonrpc/messages.ts";
import type { Returning } from "../connection.ts";
import { ClientError } from "../jsonrpc/outgoing-requests.ts";
import { answerIfAwaited, type OpenQuestionRef, findOpenQuestion } from "../durable/submit-answer.ts";
import type { SessionListener } from "../durable/process-bus.ts";
import { recordCancel, recordSessionEnd } from "../durable/cancelled-calls.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { RunLog } from "../durable/run-log.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import { isTooQuick } from "../client-trust.ts";
import { replyForFailure } from "./open-question.ts";
import type { DeclaredClient } from "../protocol/client-info.ts";
import type { SealedBox } from "../crypto/sealed-box.ts";

/** The session itself, in this process. */
export interface SharedSessionMember extends SessionListener {
  readonly features: Features;
  readonly settings: Pick<Settings, "minReadingTime" | "report">;
  /** Continues a call that began in another process. */
  resumeCall(leased: LeasedLog): void;
  /** Leaves the call of a run, which is continued from its log. */
  leaveRun(run: string): void;
}

/** How the names of runs look: whatever else somebody comes back for is not looked for. */
const RUN = /^[0-9a-f-]{36}$/;

export class SharedSession {
  /** What another process can open it with. */
  readonly token: string;
  readonly passport: SharedSessionToken;
  readonly #runs: RunRepository;
  readonly #member: SharedSessionMember;
  readonly #attending: Promise<() => void>;

  constructor(text: string, passport: SharedSessionToken, runs: RunRepository, member: SharedSessionMember) {
    this.token = text;
    this.passport = passport;
    this.#runs = runs;
    this.#member = member;
    this.#attending = runs.onSessionEvents(passport.id, member);
    this.#attending.catch((error: unknown) => member.settings.report(error));
  }

  /**
   * Passes on an answer to a question that this process does not ask. The process that asked decides about a reply that is not a person's: it may
   * ask elsewhere. Where that does not live, what the client cannot show is recorded as such.
   */
  async answer(response: Response): Promise<void> {
    const awaited = await this.#awaited(response.id);
    if (awaited === undefined) return this.tell(response);
    const { open } = awaited;
    const reply = this.#replyIn(response, awaited);
    const isQuick = isTooQuick(reply.action, this.#runs.now() - open.since, this.#member.settings);
    const isForOwner = reply.action === "unsupported" && (await this.#runs.isLive(open));
    if (isQuick || isForOwner) return this.tell(response);
    await answerIfAwaited(this.#runs, () => this.#awaited(response.id), reply);
  }

  /** Tells the other processes what the client has said. */
  async tell(message: Response | Notification): Promise<void> {
    await this.#runs.publish({ session: this.passport.id, message: message as JsonObject & typeof message });
  }

  /** The client cancels a call that is not here. */
  async cancel(request: RequestId, message: Notification): Promise<void> {
    // The process that has the call is told also where the note cannot be written.
    await Promise.all([recordCancel(this.#runs, this.passport.id, request), this.tell(message)]);
  }

  /** Continues the run that is answered on a stream of that name, if it is one of this session's. */
  async comeBack(stream: string, returning: Returning): Promise<boolean> {
    if (!RUN.test(stream)) return false;
    const log = await this.#ownLog(stream);
    const request = log?.head.session?.request;
    if (log === undefined || request === undefined) return false;
    if (returning.join()) return true;
    // This process may have the call as well, and no longer all of the events that its client has missed.
    this.#member.leaveRun(stream);
    // The client listens from now on: another process may work on the run for a while.
    returning.listen(request);
    const { process } = this.#runs;
    // A process that works on the run releases its lease.
    await this.#runs.publish({ moved: stream, to: process, returns: log.returns });
    const leased = await this.#runs.findLeased(stream);
    // The log was there a moment ago.
    if (leased === undefined) throw new RpcError(INVALID_REQUEST, "The run of this call is no longer kept.");
    // The client has gone once more while the lease was waited for, and may have come back elsewhere.
    if (!returning.isHeard) {
      await leased.release();
      return false;
    }
    const { returns } = leased.log;
    // The client may have come back to another process before, after the first message was sent.
    if (returns > log.returns) await this.#runs.publish({ moved: stream, to: process, returns });
    this.#member.resumeCall(leased);
    return true;
  }

  /** The client has ended it, everywhere and for good. The same again changes nothing. */
  async noteEnd(): Promise<void> {
    await recordSessionEnd(this.#runs, this.passport.id);
    await this.#runs.publish({ over: this.passport.id });
  }

  leave(): void {
    void this.#attending.then(
      (leave) => leave(),
      () => {},
    );
  }

  async #ownLog(run: string): Promise<RunLog | undefined> {
    const log = await this.#runs.find(run);
    const isOwn =
      log?.head.session?.id === this.passport.id && log.head.principal === this.passport.principal;
    return isOwn ? log : undefined;
  }

  /** The question that an answer is to, where the store keeps its run. What is answered on a page is known to one process only. */
  async #awaited(id: RequestId | undefined): Promise<OpenQuestionRef | undefined> {
    const [, run = "", key = "", attempt = ""] = /^([^:]+):(.*):(\d+)$/s.exec(String(id)) ?? [];
    const awaited = run === "" ? undefined : await findOpenQuestion(this.#runs, run, key, Number(attempt));
    const isOwn = awaited?.open.session?.id === this.passport.id && !isForPage(awaited.question);
    return isOwn ? awaited : undefined;
  }

  #replyIn(response: Response, { question }: OpenQuestionRef): Reply {
    const { features, settings } = this.#member;
    if ("result" in response)
      return replyOnce(question, response.result, features, this.passport.client, settings.report);
    return replyForFailure(new ClientError(response.error), settings.report);
  }
}

/**
 * What a process needs to go on with a session that was begun in another: the id that its client was given, sealed.
 *
 * The handshake is in it, so that no store has to be asked for it. It belongs to whoever began the session.
 */

export interface SharedSessionToken {
  /** Tells sessions apart. */
  readonly id: string;
  readonly revision: Revision;
  readonly client: DeclaredClient;
  readonly principal: string;
  /** Until when it is good, in milliseconds since 1970. That it was ended is remembered for as long. */
  readonly until: number;
}

const BOUND = "photon session";

export const sealSessionToken = (passport: SharedSessionToken, sealer: SealedBox): string =>
  sealer.encrypt(JSON.stringify(passport), BOUND);

/** The session that a text is the passport of, if it is one, theirs, and still good. */
export function openSessionToken(
  text: string,
  principal: string,
  sealer: SealedBox,
  now: number,
): SharedSessionToken | undefined {
  const opened = sealer.decrypt(text, BOUND);
  if (opened === undefined) return undefined;
  // What opens was sealed by one of us.
  const passport = JSON.parse(opened) as SharedSessionToken;
  return passport.principal === principal && passport.until > now ? passport : undefined;
}
