/**
 * The questions of a stateless call: how its client is asked, how `inputResponses` are parsed, and which replies count.
 *
 *   1. A client is asked only what it declared in the request that is being answered.
 *   2. A secret or a file is asked for on a page. The client opens the page; the answer is the page's.
 *   3. A decline or cancel that came sooner than a person can read the question does not count if the question can be asked
 *      elsewhere: by a handover, or in the inbox.
 */
import {
  type Capability,
  type Client,
  isDangerous,
  type OpenQuestion,
  type Replies,
  type Reply,
  type Round,
} from "@photon/core";
import { isExpired } from "../calls/question-deadlines.ts";
import type { ServerContext } from "../context.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import {
  ANYWHERE,
  type ClientReplies,
  type ClientReply,
  type InputRequest,
  inputRequestFor,
  isForPage,
  type OpenAsk,
  parseResult,
  type Unsupported,
} from "../protocol/elicitation.ts";
import type { Features } from "../protocol/revisions.ts";
import { roundWithDetails } from "../protocol/question-metadata.ts";
import type { RequestMeta } from "../protocol/request-meta.ts";
import { inputRequiredResult } from "../protocol/results.ts";
import { isRecord, type JsonObject, type Params } from "../jsonrpc/messages.ts";
import { CallPages, PAGE_WAIT_MS, PageRefused } from "../pages/page.ts";
import { ClientAtConnection, judgeReply } from "../client-trust.ts";
import { deferred, withTimeout } from "../util/timers.ts";
import type { StatelessClient } from "./stateless-client.ts";

/** The requests to the client, by the keys of the questions. */
export type InputRequests = { readonly [key: string]: InputRequest };

/** `inputResponses`: the client's answers, by the keys of the questions. */
export type InputResponses = { readonly [key: string]: unknown };

/** How a round is asked. `unsupportedReplies`: to the questions that the client cannot be asked, if there are any. */
interface RoundRequests {
  readonly requests: InputRequests;
  readonly unsupportedReplies: Replies | undefined;
}

/** The replies that count; a promise where a person answers on a page or in the inbox, and the request waits for that. */
interface CountedReplies {
  readonly replies: Replies | Promise<Replies>;
  /** Whether no reply of the client counts, and the questions are left open in the inbox. */
  readonly isLeftToInbox: boolean;
}

export class ClientQuestions {
  readonly #clientPort: StatelessClient;
  readonly #context: ServerContext;
  /** The capabilities that the client lacks for questions, by key. */
  lacking: Map<string, Capability> | undefined;
  #pages: CallPages | undefined;
  /** The client's replies to questions that it did not show, and that are asked elsewhere. */
  #askedElsewhere: Map<string, Reply> | undefined;
  /** A request of 2026-07-28 belongs to no connection: a client is judged by its replies in this call. */
  #trust: ClientAtConnection | undefined;
  #stopInboxWait: (() => void) | undefined;

  constructor(clientPort: StatelessClient, context: ServerContext) {
    this.#clientPort = clientPort;
    this.#context = context;
  }

  /** The capabilities that the client declared, without those that it refused or is not trusted with. */
  get can(): Client["can"] {
    const { currentClient } = this.#clientPort;
    return (this.#trust?.effectiveCapabilities(currentClient) ?? currentClient).can;
  }

  supports(question: OpenQuestion): boolean {
    return (
      this.#askedElsewhere?.has(question.key) !== true && "method" in this.#requestFor(question, this.can)
    );
  }

  askedElsewhereReply(key: string): Reply | undefined {
    return this.#askedElsewhere?.get(key);
  }

  failureNote(): string | undefined {
    return this.#trust?.remarkOn(this.#clientPort.currentClient);
  }

  /** The requests of a round; a promise if pages are opened for it. */
  requestsFor(round: Round): RoundRequests | Promise<RoundRequests> {
    const { can } = this;
    const requests: Record<string, InputRequest> = {};
    for (const [key, question] of Object.entries(round)) {
      const request = this.#requestFor(question, can);
      if (!("method" in request) || isForPage(question)) return this.#requestsOneByOne(round, can);
      requests[key] = request;
    }
    return { requests, unsupportedReplies: undefined };
  }

  /** The result that ends a request with questions. */
  inputRequired(
    round: Round,
    requests: InputRequests,
    requestState: string,
    { wantsDetails }: RequestMeta,
  ): JsonObject {
    if (!wantsDetails) return inputRequiredResult(requests, requestState);
    const detailed = roundWithDetails(requests, round, this.#clientPort.durable?.log.run);
    return { ...inputRequiredResult(detailed.requests, requestState), _meta: detailed.meta };
  }

  /**
   * The client's replies to the questions of a round. Other keys are ignored. A question without an answer stays open until its
   * deadline. Throws for an answer of the wrong shape.
   */
  parseReplies(round: Round, responses: InputResponses): ClientReplies {
    const { features } = this.#clientPort;
    const now = this.#context.settings.clock.now();
    const replies: Record<string, ClientReply> = {};
    for (const [key, question] of Object.entries(round)) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isExpired(question, now)) replies[key] = { action: "timeout" };
      else if (response !== undefined) replies[key] = parseReply(key, question, response, features);
    }
    return replies;
  }

  /** Judges the client by its replies to a round that was asked at `askedAt`, and says which of them count. */
  countReplies(
    round: Round,
    replies: ClientReplies,
    { askedAt, answeredAt }: { readonly askedAt: number | undefined; readonly answeredAt: number },
  ): CountedReplies {
    const { durable, isClosed } = this.#clientPort;
    const { counted, hasLeftOpen } =
      askedAt === undefined || isClosed
        ? { counted: replies, hasLeftOpen: false }
        : this.#withoutTooQuick(round, replies, answeredAt - askedAt);
    const keys = Object.keys(counted);
    if (keys.some((key) => round[key] !== undefined && isForPage(round[key])))
      return { replies: this.#repliesFromPages(round, counted), isLeftToInbox: false };
    if (!hasLeftOpen || durable === undefined || keys.length > 0)
      return { replies: counted, isLeftToInbox: false };
    const stopped = deferred();
    this.#stopInboxWait = stopped.resolve;
    // Rejects with `RunMoved` when the run is answered there. Without an answer, the client is asked again.
    const waiting = durable.untilGrown(stopped.promise, PAGE_WAIT_MS);
    return { replies: waiting.then(() => ({})), isLeftToInbox: true };
  }

  /** Ends the wait for an answer in the inbox. */
  stopWaiting(): void {
    this.#stopInboxWait?.();
    this.#stopInboxWait = undefined;
  }

  /** Closes the pages, and ends every wait. */
  close(): void {
    this.stopWaiting();
    this.closePages();
  }

  closePages(): void {
    this.#pages?.close();
  }

  #requestFor(question: OpenQuestion, can: Client["can"], page = ANYWHERE): InputRequest | Unsupported {
    return inputRequestFor(question, can, this.#clientPort.features, question.key, page);
  }

  async #requestsOneByOne(round: Round, can: Client["can"]): Promise<RoundRequests> {
    const requests: Record<string, InputRequest> = {};
    let unsupportedReplies: Record<string, Reply> | undefined;
    for (const [key, question] of Object.entries(round)) {
      const wanted = this.#requestFor(question, can);
      const isOnPage = "method" in wanted && isForPage(question);
      const request = isOnPage ? await this.#requestOnPage(question, can) : wanted;
      if ("method" in request) {
        requests[key] = request;
        continue;
      }
      unsupportedReplies ??= {};
      unsupportedReplies[key] = { action: "unsupported", reason: request.unsupported };
      if (request.lacks !== undefined) (this.lacking ??= new Map()).set(key, request.lacks);
    }
    return { requests, unsupportedReplies };
  }

  async #requestOnPage(question: OpenAsk, can: Client["can"]): Promise<InputRequest | Unsupported> {
    const { name: tool, principal } = this.#clientPort;
    const { openPage, settings } = this.#context;
    this.#pages ??= new CallPages(openPage, { server: settings.name, tool, principal });
    try {
      const { url } = await this.#pages.get(question);
      return this.#requestFor(question, can, url);
    } catch (error) {
      if (error instanceof PageRefused) return { unsupported: error.reason };
      throw error;
    }
  }

  /** Drops the replies that came too quickly, if their questions can be asked elsewhere. `hasLeftOpen`: or can be answered in the inbox. */
  #withoutTooQuick(
    round: Round,
    replies: ClientReplies,
    tookMs: number,
  ): { readonly counted: Replies; readonly hasLeftOpen: boolean } {
    const { currentClient: client, principal, durable, isLogged, canAskElsewhere } = this.#clientPort;
    const { trust, settings } = this.#context;
    this.#trust ??= new ClientAtConnection(trust, principal);
    this.#trust.recordReplies(client, round, replies, tookMs);
    const context = { client, settings, isInLog: durable !== undefined && isLogged, canAskElsewhere };
    const counted: Record<string, Reply> = {};
    let hasLeftOpen = false;
    for (const [key, given] of Object.entries(replies)) {
      const question = round[key];
      // Keys that are not of this round are ignored.
      if (question === undefined) continue;
      const { reply, decision } = judgeReply(question, given, tookMs, context);
      if (decision === "counts") counted[key] = reply;
      else if (decision === "askElsewhere") (this.#askedElsewhere ??= new Map()).set(key, reply);
      else hasLeftOpen = true;
    }
    return { counted, hasLeftOpen };
  }

  /** Replaces the consent to open a page by the answer that is given there. Without one in time, the question is asked again. */
  async #repliesFromPages(round: Round, replies: Replies): Promise<Replies> {
    const given: Record<string, Reply> = { ...replies };
    // Together: a request waits for several pages no longer than for one.
    await Promise.all(
      Object.entries(round).map(async ([key, question]) => {
        const reply = given[key];
        if (reply === undefined || !isForPage(question)) return;
        const page = await this.#pages?.peek(question);
        if (reply.action !== "accept") return page?.close();
        const answer = page && (await withTimeout(page.reply, this.#context.settings.clock, PAGE_WAIT_MS));
        if (answer === undefined) delete given[key];
        else given[key] = answer;
      }),
    );
    return given;
  }
}

export function parseInputResponses({ inputResponses }: Params): InputResponses | undefined {
  if (inputResponses === undefined || isRecord(inputResponses)) return inputResponses;
  throw new RpcError(
    INVALID_PARAMS,
    "inputResponses must be an object: an answer for each key of inputRequests.",
  );
}

/** The questions of a round without the dangerous ones, which an answer that came before its question does not answer. */
export function withoutDangerous(round: Round): Round {
  return Object.fromEntries(Object.entries(round).filter(([, question]) => !isDangerous(question)));
}

function parseReply(key: string, question: OpenQuestion, response: unknown, features: Features): ClientReply {
  const verdict = isRecord(response)
    ? parseResult(question, response, features)
    : { problem: "it must be an object" };
  if ("value" in verdict) return verdict.value;
  throw new RpcError(
    INVALID_PARAMS,
    `The response to ${JSON.stringify(key)} is invalid: ${verdict.problem}.`,
  );
}
