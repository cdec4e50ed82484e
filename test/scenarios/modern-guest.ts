/**
 * The guest of `session-guest.ts` in 2026-07-28: a client of the SDK's second
 * generation that speaks nothing else, with somebody in front of it who answers.
 *
 * The server sends it no requests. What a call needs to know comes in its
 * result, and the client calls again with the answers; both kinds of asking
 * look the same from here.
 */
import {
  Client,
  isInputRequiredResult,
  type ClientCapabilities as ModernCapabilities,
  type JSONRPCMessage,
  type RequestOptions,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { LogLevel } from "@photon/core";
import { nobody, type Answer } from "./answers.ts";
import type { Dialled } from "./dialled.ts";
import { calledWith, parrot, type Called, type Params, type Wanted } from "./guest.ts";
import { Happenings } from "./happenings.ts";
import type { SessionGuest } from "./session-guest.ts";

/** Without the progress that the client makes up itself, one for each of its rounds. */
function onlyFromServer(options: RequestOptions): RequestOptions {
  const { onprogress } = options;
  if (onprogress === undefined) return options;
  return {
    ...options,
    onprogress(progress) {
      if (progress.message?.startsWith("Fulfilling input required by '") !== true) onprogress(progress);
    },
  };
}

/** What a message wants of the client: itself, or what is asked in a result. */
function wantsOf(
  message: JSONRPCMessage,
): readonly { readonly method: string; readonly params?: Params | undefined }[] {
  if ("method" in message) return [message];
  if (!("result" in message) || !isInputRequiredResult(message.result)) return [];
  return Object.values(message.result.inputRequests ?? {});
}

export class ModernGuest implements Omit<SessionGuest, "client" | "line"> {
  readonly client: Client;
  readonly line: Dialled<Transport>;
  /** What the server has sent, as it came. */
  readonly heard: SessionGuest["heard"] = new Happenings();
  /** What was agreed on. */
  revision: unknown;
  /** What happens when the client is asked something; its id is the key of the question. */
  answer: Answer = nobody;
  sample: SessionGuest["sample"] = parrot;
  roots: SessionGuest["roots"] = [{ uri: "file:///home/ada", name: "home" }];
  #logLevel: LogLevel | undefined;

  constructor(line: Dialled<Transport>, capabilities: ClientCapabilities) {
    this.line = line;
    this.client = new Client(
      { name: "guest", version: "1.2.3" },
      {
        // The same in both generations; the older one has `object` for what is a JSON object.
        capabilities: capabilities as ModernCapabilities,
        versionNegotiation: { mode: { pin: "2026-07-28" } },
      },
    );
    // The client calls it too, when it takes the transport over; what it discovers before is not heard.
    Object.assign(line.transport, { onmessage: (message: JSONRPCMessage) => this.heard.add(message) });
    if (capabilities.elicitation !== undefined)
      this.client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { signal, id } }) =>
        this.answer({ message: params.message, id, signal }),
      );
    if (capabilities.sampling !== undefined)
      this.client.setRequestHandler("sampling/createMessage", () => this.sample());
    if (capabilities.roots !== undefined)
      this.client.setRequestHandler("roots/list", () => ({ roots: this.roots }));
  }

  async arrive(): Promise<void> {
    await this.client.connect(this.line.transport);
    this.revision = this.client.getNegotiatedProtocolVersion();
    await this.line.ready?.();
  }

  async call(name: string, input: Params = {}, options: RequestOptions = {}): Promise<Called> {
    const meta = this.#logLevel === undefined ? {} : { "io.modelcontextprotocol/logLevel": this.#logLevel };
    const { content, structuredContent, isError } = await this.client.callTool(
      { name, arguments: input, _meta: meta },
      onlyFromServer(options),
    );
    return calledWith(content, structuredContent, isError);
  }

  /** Calls, and keeps to itself what is asked; gives the state to go on with. */
  async begin(name: string): Promise<string> {
    const result = await this.client.request(
      { method: "tools/call", params: { name, arguments: {} } },
      { allowInputRequired: true },
    );
    if (!isInputRequiredResult(result) || result.requestState === undefined)
      throw new Error(`${name} asked nothing.`);
    return result.requestState;
  }

  /** Calls again, with these answers to what was asked. */
  async goOn(name: string, requestState: string, inputResponses: Params): Promise<Called> {
    const { content, structuredContent, isError } = await this.client.request({
      method: "tools/call",
      params: { name, arguments: {}, inputResponses, requestState },
    });
    return calledWith(content, structuredContent, isError);
  }

  /** Wants to be told logs from this level on: every call says so. */
  wantLogs(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    return Promise.resolve();
  }

  /** Wants to be told of changes, until it calls what it is given. */
  async listen({ tools, resource }: Wanted): Promise<() => Promise<void>> {
    const listening = await this.client.listen({
      ...(tools === undefined ? {} : { toolsListChanged: tools }),
      ...(resource === undefined ? {} : { resourceSubscriptions: [resource] }),
    });
    return () => listening.close();
  }

  /** The parameters of everything of this method that was heard, on its own or in a result. */
  heardOf(method: string): readonly Params[] {
    return this.heard.all
      .flatMap(wantsOf)
      .filter((wanted) => wanted.method === method)
      .map(({ params }) => params ?? {});
  }

  async untilHeard(method: string): Promise<void> {
    await this.heard.until((message) => wantsOf(message).some((wanted) => wanted.method === method));
  }

  /** What was asked, as it came. */
  get questions(): readonly Params[] {
    return this.heardOf("elicitation/create");
  }
}
