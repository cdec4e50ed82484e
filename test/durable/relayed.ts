/**
 * A model whose client shows no questions: it relays the questions, and calls again if a response does not arrive.
 *
 * If it has not received the name of the run, it calls from the start.
 */
import type { CallResult } from "../clients/sdk-client.ts";
import { resultOf } from "./expected.ts";
import { answersTo, input } from "./wizard-answers.ts";
import type { Outcome } from "./stateless.ts";
import type { RestartedServer } from "./restarted-server.ts";
import { connect } from "./session.ts";
import { untilDone } from "./until-done.ts";

export async function runRelayed(server: RestartedServer): Promise<Outcome> {
  const client = await untilDone(server, () => connect(server, { capabilities: {} }));
  let anew = 0;
  const call = (name: string, given: { readonly [field: string]: unknown }): Promise<CallResult> =>
    untilDone(
      server,
      () => client.call(name, given, { onprogress() {}, onBegun() {} }),
      () => (anew += name === "relayed" ? 1 : 0),
    );
  try {
    let result = await call("relayed", input);
    for (let answer = answerIn(result); answer !== undefined; answer = answerIn(result))
      result = await call("photon_answer", answer);
    return { result: resultOf({ structuredContent: result.structured, content: result.content }), anew };
  } finally {
    await client.close();
  }
}

/** The input of `photon_answer`, if the result is a relayed question. */
function answerIn({ text }: CallResult): { readonly run: string; readonly answer: unknown } | undefined {
  const [, run] = /"run":"([^"]+)"/.exec(text) ?? [];
  const [, answer] = Object.entries(answersTo).find(([message]) => text.includes(`- ${message} (`)) ?? [];
  return run === undefined ? undefined : { run, answer };
}
