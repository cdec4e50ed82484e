/**
 * The client of SDK v1 calls the wizard on a session. The client resumes its stream by itself when the server restarts.
 *
 * If it cannot resume, because no event had arrived or the call is not kept, it calls again from the start.
 */
import { acceptBy } from "../clients/answers.ts";
import { httpV1 } from "../clients/connections.ts";
import { formsOnly } from "../clients/sdk-client.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { resultOf } from "./expected.ts";
import { answersTo, input } from "./wizard-answers.ts";
import type { Outcome } from "./stateless.ts";
import type { RestartedServer } from "./restarted-server.ts";
import { untilDone } from "./until-done.ts";

export async function runSession(server: RestartedServer): Promise<Outcome> {
  const client = await untilDone(server, () =>
    connect(server, {
      capabilities: formsOnly,
      answer: acceptBy((message) => answersTo[message] ?? ""),
    }),
  );
  let anew = 0;
  try {
    const { structured, content } = await untilDone(
      server,
      () => client.call("wizard", input, { onprogress() {}, onBegun() {} }),
      () => (anew += 1),
    );
    return { result: resultOf({ structuredContent: structured, content }), anew };
  } finally {
    await client.close();
  }
}

/** A client that sends every request to the process that runs then. */
export async function connect(
  server: RestartedServer,
  options: ConstructorParameters<typeof SdkV1Client>[1],
): Promise<SdkV1Client> {
  const connection = httpV1("http://127.0.0.1", {
    fetch: async (_, init) => fetch(`${await server.url}/mcp`, init),
  });
  const client = new SdkV1Client(connection, { ...options, failsWhenDisconnected: true });
  await client.connect();
  return client;
}
