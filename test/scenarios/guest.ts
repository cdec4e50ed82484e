/** A client of the official SDK, with somebody in front of it who answers. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type CallToolResult,
  type ClientCapabilities,
  type CreateMessageResult,
  type JSONRPCMessage,
  type ListRootsResult,
} from "@modelcontextprotocol/sdk/types.js";
import { nobody, type Answer } from "./answers.ts";
import type { Dialled } from "./column.ts";
import { Happenings } from "./happenings.ts";

/** What a client can do. */
export const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};
export const formsOnly: ClientCapabilities = { elicitation: {} };
export const nothing: ClientCapabilities = {};

export const parrot = (): CreateMessageResult => ({
  role: "assistant",
  content: { type: "text", text: "Hello." },
  model: "parrot",
});

type Params = Readonly<Record<string, unknown>>;

export interface Called {
  readonly isError: boolean;
  /** The texts of the content. */
  readonly text: string;
  readonly content: CallToolResult["content"];
  readonly structured: unknown;
}

export class Guest {
  readonly client: Client;
  readonly line: Dialled;
  /** What the server has sent, as it came. */
  readonly heard = new Happenings<JSONRPCMessage>();
  /** What was agreed on. */
  revision: unknown;
  /** What happens when the client is asked something. */
  answer: Answer = nobody;
  sample: () => CreateMessageResult = parrot;
  roots: ListRootsResult["roots"] = [{ uri: "file:///home/ada", name: "home" }];

  constructor(line: Dialled, capabilities: ClientCapabilities) {
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
    const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    return { isError: isError === true, text: texts.join("\n"), content, structured: structuredContent };
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
