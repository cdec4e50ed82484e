/** What the clients of both versions of the official SDK have in common: they record what they receive, and their user answers. */
import type {
  CallToolResult,
  ClientCapabilities,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  JSONRPCMessage,
  ListRootsResult,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { LogLevel } from "@photon/core";
import type { Revision } from "@photon/server";
import { noQuestion, type AnswerHandler } from "./answers.ts";
import type { Connection } from "./connections.ts";
import { EventLog } from "./event-log.ts";

export const allCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};
/** The same without url elicitation, which revisions before 2025-11-25 do not have. */
const allBefore2511: ClientCapabilities = { ...allCapabilities, elicitation: {} };
/** All capabilities that a revision has. */
export const allCapabilitiesIn = (revision: Revision): ClientCapabilities =>
  revision >= "2025-11-25" ? allCapabilities : allBefore2511;
export const formsOnly: ClientCapabilities = { elicitation: {} };
export const noCapabilities: ClientCapabilities = {};

export const sampleHello = (): CreateMessageResult => ({
  role: "assistant",
  content: { type: "text", text: "Hello." },
  model: "test",
});

export type Params = Readonly<Record<string, unknown>>;

export interface CallResult {
  readonly isError: boolean;
  /** The texts of the content. */
  readonly text: string;
  readonly content: CallToolResult["content"];
  readonly structured: unknown;
}

export function callResult(
  content: CallToolResult["content"],
  structured: unknown,
  isError: boolean | undefined,
): CallResult {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { isError: isError === true, text: texts.join("\n"), content, structured };
}

/** The options of a call that both versions have. */
export interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
  readonly resetTimeoutOnProgress?: boolean;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/** The changes that a client is notified of. */
export interface Subscription {
  readonly tools?: true;
  readonly resource?: string;
}

export interface SdkClientOptions {
  readonly capabilities?: ClientCapabilities;
  readonly answer?: AnswerHandler;
  readonly info?: { readonly name: string; readonly version: string };
}

/** The requests to the client in a message: the message itself, or those in a result of 2026-07-28. */
function requestsIn(
  message: JSONRPCMessage,
): readonly { readonly method: string; readonly params?: unknown }[] {
  if ("method" in message) return [message];
  if (!("result" in message)) return [];
  // In 2026-07-28, a result with `inputRequests` is not the last of its call.
  const { inputRequests = {} } = message.result as { inputRequests?: Record<string, { method: string }> };
  return Object.values(inputRequests);
}

export abstract class SdkClient<Transport> {
  readonly connection: Connection<Transport>;
  /** The messages of the server, in their order. */
  readonly received: EventLog<JSONRPCMessage> = new EventLog();
  /** The revision that client and server have agreed on. */
  revision: string | undefined;
  answer: AnswerHandler;
  /** How the client's model responds. */
  sample: () => CreateMessageResult = sampleHello;
  roots: ListRootsResult["roots"] = [{ uri: "file:///home/ada", name: "home" }];
  readonly capabilities: ClientCapabilities;

  constructor(
    connection: Connection<Transport>,
    { capabilities = allCapabilities, answer = noQuestion }: SdkClientOptions,
  ) {
    this.connection = connection;
    this.capabilities = capabilities;
    this.answer = answer;
    // The SDK's client also calls a listener that was there before.
    Object.assign(connection.transport as object, {
      onmessage: (message: JSONRPCMessage) => this.received.add(message),
    });
  }

  abstract connect(): Promise<void>;
  abstract call(name: string, input?: Params, options?: CallOptions): Promise<CallResult>;
  abstract close(): Promise<void>;
  /** Subscribes to changes. The result ends the subscription. */
  abstract listen(subscription: Subscription): Promise<() => Promise<void>>;
  /** From now on, the server sends log messages from this level on. */
  abstract setLogLevel(level: LogLevel): Promise<void>;

  /** Ends the session, as a client does that needs it no more. */
  async endSession(): Promise<void> {
    await (this.connection.endSession?.() ?? this.close());
  }

  /** Cuts the connection without a message to the server. */
  async cut(): Promise<void> {
    await (this.connection.cut?.() ?? this.close());
  }

  /** The parameters of every request and notification of this method that has arrived. */
  receivedOf(method: string): readonly Params[] {
    return (
      this.received.all
        .flatMap(requestsIn)
        .filter((request) => request.method === method)
        // Parameters are an object.
        .map(({ params = {} }) => params as Params)
    );
  }

  async untilReceived(method: string, count = 1): Promise<void> {
    await this.received.until((message) => requestsIn(message).some((one) => one.method === method), count);
  }

  /** The parameters of the questions that have arrived. */
  get questions(): readonly Params[] {
    return this.receivedOf("elicitation/create");
  }

  /** The answer of the user to a question of this id: the key, on a session after the name of the run. */
  protected async answerTo(
    params: ElicitRequest["params"],
    id: RequestId,
    signal: AbortSignal,
  ): Promise<ElicitResult> {
    const [first = "", key = first] = String(id).split(":");
    return this.answer({ message: params.message, params, key, id, signal });
  }
}
