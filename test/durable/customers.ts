/**
 * Programs that call the tool again and again, each with a person who answers: on the SDK's client of either era.
 *
 * A person never says the same twice, so that it shows which answer counted. What breaks is tried again as a program would:
 * a request of 2026-07-28, and an answer on a session, are sent again as they were; what a session's client can come back
 * for it does by itself; only a call that was lost before it was begun is made anew.
 */
import { setTimeout as passing } from "node:timers/promises";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { callUnlessGivenUp } from "./call-unless-given-up.ts";

/** A run that came to its end. */
interface Bought {
  readonly token: string;
  readonly said: readonly string[];
}

/** What has happened to all of them. */
export interface Tally {
  /** Requests of 2026-07-28 and answers that were sent again. */
  resent: number;
  /** Tokens of calls that were made anew, because nothing was begun. */
  readonly lost: string[];
}

let sayings = 0;

/** What a person says to a question, after a moment: what is killed meanwhile has a question open. */
async function sayTo(question: string): Promise<string> {
  sayings += 1;
  const said = `${question}#${sayings}`;
  await passing((sayings % 10) * 20);
  return said;
}

/** Calls once for each token, one after another. */
export type Customer = (url: string, tokens: Iterable<string>, tally: Tally) => Promise<readonly Bought[]>;

export const modernCustomer: Customer = async (url, tokens, tally) => {
  const client = new ModernClient(
    { name: "modern", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => ({
    action: "accept",
    content: { value: await sayTo(params.message) },
  }));
  await client.connect(new ModernTransport(new URL(url), { fetch: sendingAgain(tally) }));
  const bought: Bought[] = [];
  for (const token of tokens)
    bought.push(boughtIn(token, await client.callTool({ name: "order", arguments: { token } })));
  await client.close();
  return bought;
};

export const sessionCustomer: Customer = async (url, tokens, tally) => {
  const client = await connect(url, tally);
  const bought: Bought[] = [];
  for (const first of tokens)
    for (let token = first, isLost = true; isLost; token = `${token}+`) {
      try {
        bought.push(
          boughtIn(token, await callUnlessGivenUp(client, { name: "order", arguments: { token } })),
        );
        isLost = false;
      } catch {
        tally.lost.push(token);
      }
    }
  await client.close();
  return bought;
};

async function connect(url: string, tally: Tally): Promise<Client> {
  for (;;) {
    const client = new Client({ name: "session", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      action: "accept",
      content: { value: await sayTo(params.message) },
    }));
    const again = sendingAgain(tally);
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: (to, init) => (isAnswer(init) ? again : fetch)(to, init),
      reconnectionOptions: {
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 5,
      },
    });
    try {
      await client.connect(transport);
      return client;
    } catch {
      // There is no session yet: another try begins one.
      await client.close();
    }
  }
}

/** Whether what is sent is an answer of the person's. */
const isAnswer = (init: RequestInit | undefined): boolean =>
  typeof init?.body === "string" && "result" in (JSON.parse(init.body) as object);

/** Sends a request until all of what answers it has come. */
const sendingAgain =
  (tally: Tally): typeof fetch =>
  async (url, init) => {
    for (;;) {
      try {
        const response = await fetch(url, init);
        const { status, headers } = response;
        const body = await response.arrayBuffer();
        return new Response(body.byteLength === 0 ? null : body, { status, headers });
      } catch (error) {
        if (init?.signal?.aborted === true) throw error;
        tally.resent += 1;
      }
    }
  };

function boughtIn(token: string, given: { readonly [key: string]: unknown }): Bought {
  const { said } = (given["structuredContent"] ?? {}) as { readonly said?: readonly string[] };
  if (said === undefined) throw new Error(`${token} has come to ${JSON.stringify(given)}`);
  return { token, said };
}
