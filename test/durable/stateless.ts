/** A client of 2026-07-28 calls the wizard, and sends every request again that gets no response. */
import { callAndAnswer, post } from "../restart/stateless-calls.ts";
import { resultOf } from "./expected.ts";
import { answers, input } from "./wizard-answers.ts";
import type { RestartedServer } from "./restarted-server.ts";

/** How a program has ended. */
export interface Outcome {
  readonly result: unknown;
  /** How often it called from the start, because it had no state. */
  readonly anew: number;
}

export async function runStateless(server: RestartedServer): Promise<Outcome> {
  let anew = 0;
  const responses = await callAndAnswer("wizard", input, answers, async (call, leg) => {
    for (;;) {
      try {
        return await post(await server.url, call);
      } catch {
        if (leg === 0) anew += 1;
        await server.restarted;
      }
    }
  });
  const { result, error } = responses.at(-1) ?? {};
  return { result: error ?? resultOf(result ?? {}), anew };
}
