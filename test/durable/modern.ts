/** A program with a client of 2026-07-28: what broke off is sent again, as it was. */
import { converse, post } from "../restart/asking.ts";
import { resultOf } from "./expected.ts";
import { answers, input } from "./live.ts";
import type { RestartedServer } from "./restarted-server.ts";

/** What a program has come to. */
export interface Outcome {
  readonly result: unknown;
  /** How often it had to begin from the start, because it had nothing to go on from. */
  readonly anew: number;
}

export async function runModern(server: RestartedServer): Promise<Outcome> {
  let anew = 0;
  const legs = await converse("wizard", input, answers, async (call, leg) => {
    for (;;) {
      try {
        return await post(await server.url, call);
      } catch {
        if (leg === 0) anew += 1;
        await server.restarted;
      }
    }
  });
  const { result, error } = legs.at(-1) ?? {};
  return { result: error ?? resultOf(result ?? {}), anew };
}
