/** A client of the official SDK's first generation, which speaks the revisions with sessions, with somebody in front of it who answers. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type ClientCapabilities,
  type CreateMessageResult,
  type JSONRPCMessage,
  type ListRootsResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { LogLevel } from "@photon/core";
import { nobody, type Answer } from "./answers.ts";
import type { Dialled } from "./dialled.ts";
import { calledWith, parrot, type Called, type Params, type Wanted } from "./guest.ts";
import { Happenings } from "./happenings.ts";

export class SessionGuest {
  readonly client: Client;
  readonly line: Dialled<Transport>;
  /** What the server has sent, as it came. */
  readonly heard = new Happenings<JSONRPCMessage>();
  /** What was agreed on. */
  revision: unknown;
  /** What happens when the client is asked something. */
  answer: Answer = nobody;
  sample: () => CreateMessageResult = parrot;
  roots: ListRootsResult["roots"] = [{ uri: "file:///home/ada", name: "home" }];

  constructor(line: Dialled<Transport>, capabilities: ClientCapabilities) {
    this.line = line;
    this.client = new Client({ name: "guest", version: "1.2.3" }, { capabilities });
    // The client calls it too, when it takes the transport over.
    Object.assign(line.transport, { onmessage: (message: JSONRPCMessage) => this.heard.add(message) });
    if (capabilities.elicitation !== undefined)
      this.client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal, requestId }) =>
        this.answer({ message: params.message, id: requestId, signal }),
      );
    if (capabilities.sampling !== undefined)
      this.client.setRequestHandler(CreateMessageRequestSchema, () => this.sample());
    if (capabilities.roots !== undefined)
      this.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: this.roots }));
  }

  async arrive(): Promise<void> {
    await this.client.connect(this.line.transport);
    const [agreed] = this.heard.all;
    if (agreed !== undefined && "result" in agreed) this.revision = agreed.result["protocolVersion"];
    await this.line.ready?.();
  }

  async call(name: string, input: Params = {}, options: RequestOptions = {}): Promise<Called> {
    const { content, structuredContent, isError } = await this.client.request(
      { method: "tools/call", params: { name, arguments: input } },
      CallToolResultSchema,
      options,
    );
    return calledWith(content, structuredContent, isError);
  }

  /** Wants to be told logs from this level on. */
  async wantLogs(level: LogLevel): Promise<void> {
    await this.client.setLoggingLevel(level);
  }

  /** Wants to be told of changes, until it calls what it is given. Of its tools a session tells by itself. */
  async listen({ resource: uri }: Wanted): Promise<() => Promise<void>> {
    if (uri === undefined) return () => Promise.resolve();
    await this.client.subscribeResource({ uri });
    return async () => {
      await this.client.unsubscribeResource({ uri });
    };
  }

  /** The parameters of every message of this method that was heard. */
  heardOf(method: string): readonly Params[] {
    return this.heard.all.flatMap((message) =>
      "method" in message && message.method === method ? [message.params ?? {}] : [],
    );
  }

  async untilHeard(method: string): Promise<void> {
    await this.heard.until((message) => "method" in message && message.method === method);
  }

  /** What was asked, as it came. */
  get questions(): readonly Params[] {
    return this.heardOf("elicitation/create");
  }
}
