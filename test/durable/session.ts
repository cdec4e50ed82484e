/**
 * A program with the SDK's client of 2025-11-25: that comes back by itself for what broke off.
 *
 * Where it has nothing to come back for, because it was told nothing yet or what it was told of was not begun, it calls anew.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { untilDone } from "./until-done.ts";
import { callUnlessGivenUp } from "./call-unless-given-up.ts";
import { resultOf } from "./expected.ts";
import { answersTo, input } from "./live.ts";
import type { RestartedServer } from "./restarted-server.ts";
import type { Outcome } from "./modern.ts";

export async function runSession(server: RestartedServer): Promise<Outcome> {
  const client = await untilDone(server, () => connect(server));
  let anew = 0;
  try {
    const result = await untilDone(
      server,
      () => callUnlessGivenUp(client, { name: "wizard", arguments: input }, undefined, { onprogress() {} }),
      () => (anew += 1),
    );
    return { result: resultOf(result), anew };
  } finally {
    await client.close();
  }
}

async function connect(server: RestartedServer): Promise<Client> {
  const client = new Client({ name: "traveller", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: { value: answersTo[params.message] ?? "" },
  }));
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: async (_, init) => fetch(`${await server.url}/mcp`, init),
  });
  await client.connect(transport);
  return client;
}
