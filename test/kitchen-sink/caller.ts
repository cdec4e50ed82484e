/** A client of the official SDK, of either generation, and whoever is in front of it. */
import { Client as ModernClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type CreateMessageResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { Person } from "./person.ts";
import type { Told } from "./told.ts";

type Input = Readonly<Record<string, unknown>>;

export interface Caller {
  /** Calls a tool, with this person in front of the client, who hears what is told on the way. */
  call(tool: string, input: Input, person: Person, hear?: (message: string) => void): Promise<Told>;
  /** Settles when everything that was sent in either direction has arrived. */
  settle(): Promise<void>;
  /** What the server offers, as it lists it. */
  listTools(): Promise<readonly { readonly name: string; readonly [field: string]: unknown }[]>;
  close(): Promise<void>;
}

const INFO = { name: "tester", version: "1.0.0" };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const said = (text: string): CreateMessageResult => ({
  role: "assistant",
  content: { type: "text", text },
  model: "parrot",
});

/** The first generation, which speaks the revisions with sessions. */
export async function arrive(transport: Transport): Promise<Caller> {
  const client = new Client(INFO, { capabilities });
  let present: Person | undefined;
  const person = (): Person => present ?? nobody();
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { requestId }) => {
    // `run:key:attempt`, as the server names its questions.
    const [, key = ""] = String(requestId).split(":");
    return person().answer(key, params);
  });
  client.setRequestHandler(CreateMessageRequestSchema, () => said(person().draft));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: person().roots }));
  await client.connect(transport);
  return {
    async call(name, input, one, hear) {
      present = one;
      const params = { name, arguments: { ...input } };
      const request = { method: "tools/call", params } as const;
      return toldOf(await client.request(request, CallToolResultSchema, hearing(hear)));
    },
    async settle() {
      // The second is answered after whatever the first has found on the way.
      await client.ping();
      await client.ping();
    },
    listTools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

/** The second generation, which speaks 2026-07-28. */
export async function arriveModern(url: string): Promise<Caller> {
  const client = new ModernClient(INFO, {
    capabilities,
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  let present: Person | undefined;
  const person = (): Person => present ?? nobody();
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { id } }) =>
    person().answer(String(id), params),
  );
  client.setRequestHandler("sampling/createMessage", () => said(person().draft));
  client.setRequestHandler("roots/list", () => ({ roots: person().roots }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return {
    async call(name, input, one, hear) {
      present = one;
      return toldOf(await client.callTool({ name, arguments: { ...input } }, hearing(hear)));
    },
    // Every request stands alone, and there is nothing between them.
    settle: () => Promise.resolve(),
    listTools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

/** Options of a call whose progress somebody hears. */
function hearing(hear: ((message: string) => void) | undefined): {
  onprogress?: (progress: { message?: string | undefined }) => void;
} {
  if (hear === undefined) return {};
  return {
    onprogress({ message }) {
      // The second generation tells of its own rounds as well.
      if (message?.startsWith("Fulfilling input required by '") === false) hear(message);
    },
  };
}

function nobody(): never {
  throw new Error("Nobody is there.");
}

/** Of what a client was given, what everybody is given. */
function toldOf({
  content,
  structuredContent,
  isError,
}: {
  readonly content: readonly { readonly type: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}): Told {
  return {
    content: content.map((block) => ({ ...block })),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
  };
}
