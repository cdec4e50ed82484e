/** A client of the SDK, with somebody in front of it who answers, and a server at the other end of memory. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

export type Answer = (
  params: ElicitRequest["params"],
  signal: AbortSignal,
) => ElicitResult | Promise<ElicitResult>;

export const accept =
  (value: string | number | boolean | string[]): Answer =>
  () => ({ action: "accept", content: { value } });

/** Somebody who thinks until the question is taken back. */
export function thinker(): {
  readonly answer: Answer;
  readonly asked: Promise<void>;
  readonly dropped: Promise<void>;
} {
  let ask = (): void => {};
  let drop = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const dropped = new Promise<void>((resolve) => {
    drop = resolve;
  });
  const answer: Answer = (_, signal) => {
    ask();
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        drop();
        resolve({ action: "cancel" });
      });
    });
  };
  return { answer, asked, dropped };
}

export interface Guest {
  readonly client: Client;
  /** Everything the server has sent, as it came. */
  readonly heard: readonly JSONRPCMessage[];
  /** What was asked. */
  readonly questions: readonly ElicitRequest["params"][];
  /** Calls a tool; gives the texts of its content. */
  call(
    name: string,
    input?: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<{ readonly text: string; readonly isError: boolean; readonly structured: unknown }>;
}

interface Connectable {
  connect(transport: Transport): Promise<void>;
}

export const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};

/** Somebody at a server in this process. */
export async function meet(
  server: Connectable,
  answer?: Answer,
  capabilities: ClientCapabilities = everything,
): Promise<Guest> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return arrive(here, answer, capabilities);
}

/** Somebody at the other end of a transport. Leaves with the test. */
export async function arrive(
  transport: Transport,
  answer: Answer = ({ message }) => {
    throw new Error(`Nobody expects to be asked ${message}`);
  },
  capabilities: ClientCapabilities = everything,
): Promise<Guest> {
  const heard: JSONRPCMessage[] = [];
  const questions: ElicitRequest["params"][] = [];
  const client = new Client({ name: "guest", version: "1.2.3" }, { capabilities });
  if (capabilities.elicitation !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      questions.push(params);
      return answer(params, signal);
    });
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => heard.push(message) });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    heard,
    questions,
    async call(name, input = {}, options = {}) {
      const params = { name, arguments: input };
      const result = await client.request({ method: "tools/call", params }, CallToolResultSchema, options);
      const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      return {
        text: texts.join("\n"),
        isError: result.isError === true,
        structured: result.structuredContent,
      };
    },
  };
}

/** The parameters of every message of this method that a guest has heard. */
export function heardOf({ heard }: Guest, method: string): readonly (Record<string, unknown> | undefined)[] {
  return heard.flatMap((message) =>
    "method" in message && message.method === method ? [message.params] : [],
  );
}
