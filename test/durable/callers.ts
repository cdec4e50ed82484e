/**
 * Programs that call a tool again and again with the SDK's client of either era, each with a user who answers.
 *
 *   1. The user never gives the same answer twice, so that it shows which answer counted.
 *   2. A request of 2026-07-28 that has a state, and an answer on a session, are sent again when the connection breaks. A
 *      client on a session comes back by itself.
 *   3. A call is made anew only if nothing was begun: no byte of the response to its first request has arrived, or that is
 *      503; or the server says that nothing is kept of it, and its user was asked nothing. Every other failure is an error.
 */
import { setTimeout as pause } from "node:timers/promises";
import { acceptBy } from "../clients/answers.ts";
import { httpV1, httpV2 } from "../clients/connections.ts";
import { formsOnly, type CallResult } from "../clients/sdk-client.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { isAnswer } from "./session-client.ts";

/** A call that has come to its result. */
export interface CompletedCall {
  readonly token: string;
  readonly answers: readonly string[];
}

/** What has happened to all callers. */
export class Tally {
  /** Requests and answers that were sent again. */
  sentAgain = 0;
  /** Responses that said that the request may be sent again. */
  interrupted = 0;
  /** Tokens of calls of which no response arrived. The call was made anew. */
  readonly withoutResponse: string[] = [];
  /** Tokens of calls of which the server said that nothing is kept. The call was made anew. */
  readonly notKept: string[] = [];
}

type AnswerQuestion = (question: string) => Promise<string>;

interface ConnectionOptions {
  readonly tally: Tally;
  readonly answer: AnswerQuestion;
  /** How long the client waits for the response to a request of 2026-07-28 that has a state, in milliseconds. */
  readonly patience?: () => number | undefined;
  /** Whether a request of 2026-07-28 is sent again after an error that says that it may be. */
  readonly sendsInterruptedAgain?: boolean;
}

/** A client that makes one call at a time. */
export interface Connection {
  /** The result of a call; nothing, where nothing of the call was begun, and it may be made anew. */
  call(tool: string, token: string): Promise<CallResult | undefined>;
  close(): Promise<void>;
}

export type Connect = (url: string, options: ConnectionOptions) => Promise<Connection>;

/** What a program calls: the tool once for each token. */
export interface Calling {
  readonly url: string;
  readonly tool: string;
  readonly tokens: Iterable<string>;
  readonly tally: Tally;
}

/** No byte of a response has arrived; or the server has said, with 503, that it takes no calls for now. */
class NothingReceived extends Error {
  override readonly name = "NothingReceived";
}

/** The server keeps nothing of a stream that the client comes back for. */
class NotKept extends Error {
  override readonly name = "NotKept";
}

const RETRY_MS = 50;
const MAX_ATTEMPTS = 600;
const MAX_RETURNS = 60;
const CALL_TIMEOUT_MS = 120_000;

let answerCount = 0;

/** Answers after up to 180 ms, so that questions are open when a process ends. */
async function answerSoon(question: string): Promise<string> {
  answerCount += 1;
  const answer = `${question}#${answerCount}`;
  await pause((answerCount % 10) * 20);
  return answer;
}

/** Calls the tool once for each token, one after another, with a user who answers after a moment. */
export async function callAll(
  connect: Connect,
  { url, tool, tokens, tally }: Calling,
): Promise<readonly CompletedCall[]> {
  const connection = await connect(url, { tally, answer: answerSoon });
  const completed: CompletedCall[] = [];
  for (const token of tokens) completed.push(await callOnce(connection, tool, token));
  await connection.close();
  return completed;
}

async function callOnce(connection: Connection, tool: string, first: string): Promise<CompletedCall> {
  for (let token = first; ; token = `${token}+`) {
    const result = await connection.call(tool, token);
    if (result !== undefined) return completedCall(token, result);
  }
}

export const connectStateless: Connect = async (url, options) => {
  const client = new SdkV2Client(httpV2(url, { fetch: sendAgain(options) }), {
    capabilities: formsOnly,
    answer: acceptBy(options.answer),
  });
  await client.connect();
  return {
    call: (tool, token) => client.call(tool, { token }, { timeout: CALL_TIMEOUT_MS }),
    close: () => client.close(),
  };
};

export const connectSession: Connect = async (url, options) => {
  for (let attempt = 1; ; attempt += 1) {
    const session = new Session(url, options);
    try {
      await session.connect();
      return session;
    } catch (error) {
      // There is no session yet: another try begins one.
      await session.close();
      if (attempt === MAX_ATTEMPTS) throw error;
      await pause(RETRY_MS);
    }
  }
};

/** A client on a session, with one call at a time. */
class Session implements Connection {
  readonly #client: SdkV1Client;
  readonly #options: ConnectionOptions;
  readonly #asked = new Set<string>();
  /** The name of the stream on which the call is answered, once its first event has arrived. */
  #stream: string | undefined;
  /** How often the client has tried to read the rest of that stream since it last could. */
  #failedReturns = 0;
  /** Ends the call that is open. */
  #fail: (error: Error) => void = () => {};

  constructor(url: string, options: ConnectionOptions) {
    this.#options = options;
    const connection = httpV1(url, {
      // The SDK's client passes a string or a URL.
      fetch: (to, init) => this.#fetch(to as string | URL, init),
      reconnection: { delay: 1000, attempts: MAX_RETURNS },
    });
    const answer = acceptBy((message) => {
      this.#asked.add(message);
      return options.answer(message);
    });
    this.#client = new SdkV1Client(connection, { capabilities: formsOnly, answer });
  }

  async connect(): Promise<void> {
    await this.#client.connect();
  }

  async call(tool: string, token: string): Promise<CallResult | undefined> {
    this.#stream = undefined;
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const calling = this.#client.call(tool, { token }, { timeout: CALL_TIMEOUT_MS });
    try {
      return await Promise.race([calling, failed]);
    } catch (error) {
      const { tally } = this.#options;
      if (error instanceof NothingReceived) tally.withoutResponse.push(token);
      else if (error instanceof NotKept && !this.#hasAsked(token)) tally.notKept.push(token);
      else throw new Error(`The call ${token} has failed: ${String(error)}`, { cause: error });
      calling.catch(() => {});
      return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #hasAsked(token: string): boolean {
    return [...this.#asked].some((question) => question.startsWith(`${token}/`));
  }

  async #fetch(url: string | URL, init: RequestInit | undefined): Promise<Response> {
    if (isAnswer(init)) return sendAgain({ tally: this.#options.tally })(url, init);
    if (typeof init?.body === "string" && init.body.includes('"tools/call"')) return this.#send(url, init);
    const lastEvent = new Headers(init?.headers).get("last-event-id");
    return lastEvent === null ? fetch(url, init) : this.#return(url, init, streamOf(`id: ${lastEvent}`));
  }

  async #send(url: string | URL, init: RequestInit): Promise<Response> {
    const { response, firstEvent } = await onceBegun(url, init);
    if (response.status === 503) throw new NothingReceived("The server takes no calls for now.");
    this.#stream = streamOf(firstEvent);
    this.#failedReturns = 0;
    return response;
  }

  /** The client reads the rest of a stream. The SDK does not say which stream it gives up to read: this counts the failures. */
  async #return(
    url: string | URL,
    init: RequestInit | undefined,
    stream: string | undefined,
  ): Promise<Response> {
    const isOfCall = stream !== undefined && stream === this.#stream;
    if (isOfCall) this.#failedReturns += 1;
    if (this.#failedReturns === MAX_RETURNS) this.#fail(new Error("The client could not come back."));
    const { response } = await onceBegun(url, init);
    if (isOfCall && response.ok) this.#failedReturns = 0;
    if (isOfCall && response.status === 400) {
      const problem = await response.clone().text();
      this.#fail(problem.includes("are no longer buffered") ? new NotKept(problem) : new Error(problem));
    }
    return response;
  }
}

/** The name of a stream, in the id of one of its events. */
const streamOf = (event: string): string | undefined => /^id: ([^.\n]+)\./m.exec(event)?.[1];

/**
 * Sends a request that is answered by a stream, and gives the response once something of the stream has arrived. The SDK's
 * client comes back with the id of an event, and has none before.
 */
async function onceBegun(
  url: string | URL,
  init: RequestInit | undefined,
): Promise<{ readonly response: Response; readonly firstEvent: string }> {
  const nothing = (cause: unknown): never => {
    throw new NothingReceived("No response has arrived.", { cause });
  };
  const response = await fetch(url, init).catch(nothing);
  const { status, headers } = response;
  if (!response.ok || response.body === null) return { response, firstEvent: "" };
  // The body of a response is bytes; its type here does not say so.
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read().catch(nothing);
  if (first.done) return nothing("The stream has ended.");
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first.value),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const firstEvent = new TextDecoder().decode(first.value);
  return { response: new Response(body, { status, headers }), firstEvent };
}

/** Sends a request until all of its response has arrived. A server that is not available for now says so with 503. */
const sendAgain =
  ({ tally, patience, sendsInterruptedAgain = false }: Omit<ConnectionOptions, "answer">): typeof fetch =>
  async (url, init) => {
    const sent = readSent(init?.body);
    for (let attempt = 1; ; attempt += 1) {
      const timeout = sent.hasState ? patience?.() : undefined;
      try {
        const response = await fetch(url, timeout === undefined ? init : withTimeout(init, timeout));
        const { status, headers } = response;
        const body = await response.text();
        const isInterrupted = sendsInterruptedAgain && body.includes("it may be sent again");
        if (isInterrupted) tally.interrupted += 1;
        const isOver = (status !== 503 && !isInterrupted) || attempt === MAX_ATTEMPTS;
        if (isOver) return new Response(body === "" ? null : body, { status, headers });
      } catch (error) {
        if (init?.signal?.aborted === true || attempt === MAX_ATTEMPTS) throw error;
      }
      // Without a state it begins another run.
      if (sent.isCall && !sent.hasState) tally.withoutResponse.push(sent.token);
      else tally.sentAgain += 1;
      await pause(RETRY_MS);
    }
  };

const withTimeout = (init: RequestInit | undefined, timeout: number): RequestInit => ({
  ...init,
  signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(init?.signal ? [init.signal] : [])]),
});

/** What a request is, as far as that decides whether it is sent again. */
function readSent(body: unknown): {
  readonly isCall: boolean;
  readonly hasState: boolean;
  readonly token: string;
} {
  const { method, params = {} } = (typeof body === "string" ? JSON.parse(body) : {}) as {
    readonly method?: string;
    readonly params?: { readonly arguments?: { readonly token?: string }; readonly requestState?: string };
  };
  return {
    isCall: method === "tools/call",
    hasState: params.requestState !== undefined,
    token: params.arguments?.token ?? "",
  };
}

function completedCall(token: string, result: CallResult): CompletedCall {
  const { answers } = (result.structured ?? {}) as { readonly answers?: readonly string[] };
  if (answers === undefined) throw new Error(`The call ${token} has come to ${JSON.stringify(result)}`);
  return { token, answers };
}
