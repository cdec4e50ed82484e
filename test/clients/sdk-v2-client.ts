/**
 * The client of version 2 of the official SDK. It speaks 2026-07-28, unless it is told to find out what the server speaks.
 *
 * In 2026-07-28 the server sends no requests: the questions of a call are in its result, and the client calls again with
 * the answers.
 */
import {
  Client,
  isInputRequiredResult,
  type ClientCapabilities,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import type { LogLevel } from "@photon/core";
import type { Connection, TransportV2 } from "./connections.ts";
import {
  callResult,
  SdkClient,
  type CallOptions,
  type CallResult,
  type Params,
  type SdkClientOptions,
  type Subscription,
} from "./sdk-client.ts";

export interface SdkV2ClientOptions extends SdkClientOptions {
  readonly mode?: NonNullable<VersionNegotiationOptions["mode"]>;
}

export class SdkV2Client extends SdkClient<TransportV2> {
  readonly sdk: Client;
  #logLevel: LogLevel | undefined;

  constructor(connection: Connection<TransportV2>, options: SdkV2ClientOptions = {}) {
    super(connection, options);
    const { info = { name: "client", version: "1.2.3" }, mode = { pin: "2026-07-28" } } = options;
    // The same in both versions; version 1 has the type `object` for a JSON object.
    const capabilities = this.capabilities as ClientCapabilities;
    this.sdk = new Client(info, { capabilities, versionNegotiation: { mode } });
    if (capabilities.elicitation !== undefined)
      this.sdk.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { signal, id } }) =>
        this.answerTo(params, id, signal),
      );
    if (capabilities.sampling !== undefined)
      this.sdk.setRequestHandler("sampling/createMessage", () => this.sample());
    if (capabilities.roots !== undefined)
      this.sdk.setRequestHandler("roots/list", () => ({ roots: this.roots }));
  }

  async connect(): Promise<void> {
    const { transport } = this.connection;
    await this.sdk.connect(transport);
    this.revision = this.sdk.getNegotiatedProtocolVersion();
    await this.connection.ready?.();
  }

  async call(name: string, input: Params = {}, options: CallOptions = {}): Promise<CallResult> {
    const meta = this.#logLevel === undefined ? {} : { "io.modelcontextprotocol/logLevel": this.#logLevel };
    const { content, structuredContent, isError } = await this.sdk.callTool(
      { name, arguments: input, _meta: meta },
      onlyFromServer(options),
    );
    return callResult(content, structuredContent, isError);
  }

  /** Calls a tool without answering its questions. Returns the state for `continueCall`. */
  async startCall(name: string): Promise<string> {
    const result = await this.sdk.request(
      { method: "tools/call", params: { name, arguments: {} } },
      { allowInputRequired: true },
    );
    if (!isInputRequiredResult(result) || result.requestState === undefined)
      throw new Error(`${name} has asked nothing.`);
    return result.requestState;
  }

  /** Calls again, with these answers to the questions. */
  async continueCall(name: string, requestState: string, inputResponses: Params): Promise<CallResult> {
    const { content, structuredContent, isError } = await this.sdk.request({
      method: "tools/call",
      params: { name, arguments: {}, inputResponses, requestState },
    });
    return callResult(content, structuredContent, isError);
  }

  /** Every call names the level. */
  setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    return Promise.resolve();
  }

  async listen({ tools, resource }: Subscription): Promise<() => Promise<void>> {
    const listening = await this.sdk.listen({
      ...(tools === undefined ? {} : { toolsListChanged: tools }),
      ...(resource === undefined ? {} : { resourceSubscriptions: [resource] }),
    });
    return () => listening.close();
  }

  async close(): Promise<void> {
    await this.sdk.close();
  }
}

/** Without the progress that the client creates itself, one for each of its rounds. */
function onlyFromServer(options: CallOptions): CallOptions {
  const { onprogress } = options;
  if (onprogress === undefined) return options;
  return {
    ...options,
    onprogress(progress) {
      if (progress.message?.startsWith("Fulfilling input required by '") !== true) onprogress(progress);
    },
  };
}
