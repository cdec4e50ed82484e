/**
 * A model at a client that shows no questions: it passes on what it is asked, and what broke off it calls again, as it was.
 *
 * Where it was not told yet by what name to go on, it calls anew.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { untilDone } from "./until-done.ts";
import { callUnlessGivenUp } from "./call-unless-given-up.ts";
import { resultOf } from "./expected.ts";
import { answersTo, input } from "./live.ts";
import type { RestartedServer } from "./restarted-server.ts";
import type { Outcome } from "./modern.ts";

type Said = Parameters<typeof resultOf>[0];

export async function runRelayed(server: RestartedServer): Promise<Outcome> {
  const client = new Client({ name: "traveller", version: "1" });
  let anew = 0;
  const call = (name: string, given: { readonly [field: string]: unknown }): Promise<Said> =>
    untilDone(
      server,
      () => callUnlessGivenUp(client, { name, arguments: given }, undefined, { onprogress() {} }),
      () => (anew += name === "relayed" ? 1 : 0),
    );
  try {
    await untilDone(server, () => connect(client, server));
    let said = await call("relayed", input);
    for (let asked = askedIn(said); asked !== undefined; asked = askedIn(said))
      said = await call("photon_answer", asked);
    return { result: resultOf(said), anew };
  } finally {
    await client.close();
  }
}

/** What answers a question that was put into words. */
function askedIn(said: Said): { readonly run: string; readonly answer: unknown } | undefined {
  const text = String(resultOf(said));
  const [, run] = /"run":"([^"]+)"/.exec(text) ?? [];
  const [, answer] = Object.entries(answersTo).find(([message]) => text.includes(`- ${message} (`)) ?? [];
  return run === undefined ? undefined : { run, answer };
}

async function connect(client: Client, server: RestartedServer): Promise<void> {
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: async (_, init) => fetch(`${await server.url}/mcp`, init),
  });
  await client.connect(transport);
}
