/** The client of version 1 of the official SDK, which speaks the revisions with sessions. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import type { LogLevel } from "@photon/core";
import type { Revision } from "@photon/server";
import { deferred } from "../../packages/server/src/util/timers.ts";
import type { Connection, TransportV1 } from "./connections.ts";
import {
  callResult,
  SdkClient,
  type CallOptions,
  type CallResult,
  type Params,
  type SdkClientOptions,
  type Subscription,
} from "./sdk-client.ts";

export interface SdkV1ClientOptions extends SdkClientOptions {
  /** Whether an open call fails when the client tries no more to read the rest of a stream. */
  readonly failsWhenDisconnected?: boolean;
}

export class SdkV1Client extends SdkClient<TransportV1> {
  readonly sdk: Client;
  /** Resolves with an error when the client tries no more to read the rest of a stream. Later calls wait for the next time. */
  #disconnected = deferred<Error>();

  constructor(connection: Connection<TransportV1>, options: SdkV1ClientOptions = {}) {
    super(connection, options);
    const { info = { name: "client", version: "1.2.3" }, failsWhenDisconnected = false } = options;
    const { capabilities } = this;
    this.sdk = new Client(info, { capabilities });
    // The SDK's client reports to `onerror` that it has given up, and leaves the call pending.
    const onerror = ({ message }: Error): void => {
      if (!message.startsWith("Maximum reconnection attempts")) return;
      this.#disconnected.resolve(new Error(message));
      this.#disconnected = deferred();
    };
    if (failsWhenDisconnected) Object.assign(this.sdk, { onerror });
    if (capabilities.elicitation !== undefined)
      this.sdk.setRequestHandler(ElicitRequestSchema, ({ params }, { signal, requestId }) =>
        this.answerTo(params, requestId, signal),
      );
    if (capabilities.sampling !== undefined)
      this.sdk.setRequestHandler(CreateMessageRequestSchema, () => this.sample());
    if (capabilities.roots !== undefined)
      this.sdk.setRequestHandler(ListRootsRequestSchema, () => ({ roots: this.roots }));
  }

  /** Offers the newest revision that the SDK has, or this one. */
  async connect(offered?: Revision): Promise<void> {
    const { transport } = this.connection;
    if (offered !== undefined) offerRevision(transport, offered);
    await this.sdk.connect(transport);
    const [initialized] = this.received.all;
    if (initialized !== undefined && "result" in initialized)
      this.revision = String(initialized.result["protocolVersion"]);
    await this.connection.ready?.();
  }

  /** `onBegun` is called when an event with an id has arrived: from then on the client can come back for the rest. */
  async call(
    name: string,
    input: Params = {},
    options: CallOptions & { readonly onBegun?: () => void } = {},
  ): Promise<CallResult> {
    const { onBegun, ...rest } = options;
    const request = { method: "tools/call" as const, params: { name, arguments: input } };
    const calling = this.sdk.request(request, CallToolResultSchema, {
      ...rest,
      ...(onBegun && { onresumptiontoken: () => onBegun() }),
    });
    const result = await Promise.race([calling, this.#disconnected.promise]);
    if (result instanceof Error) throw result;
    return callResult(result.content, result.structuredContent, result.isError);
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    await this.sdk.setLoggingLevel(level);
  }

  /** On a session, the server sends changes of its tools without a subscription. */
  async listen({ resource: uri }: Subscription): Promise<() => Promise<void>> {
    if (uri === undefined) return () => Promise.resolve();
    await this.sdk.subscribeResource({ uri });
    return async () => {
      await this.sdk.unsubscribeResource({ uri });
    };
  }

  async close(): Promise<void> {
    await this.sdk.close();
  }
}

function offerRevision(transport: TransportV1, protocolVersion: Revision): void {
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) =>
    send(
      "method" in message && message.method === "initialize"
        ? { ...message, params: { ...message.params, protocolVersion } }
        : message,
      options,
    );
}
