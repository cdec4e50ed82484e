/** Makes calls that ask, and leaves their questions without an answer. */
import type { LoadClient } from "../client/load-client.ts";

/** Calls in flight until their questions arrive. */
const IN_FLIGHT = 50;

/** Makes calls until `count` questions are open. `from` is the number of those that are open already. */
export async function openQuestions(client: LoadClient, count: number, from = 0): Promise<void> {
  const call = client.prepare({ tool: "ask", input: { questions: 1 } });
  for (let open = from; open < count; open += IN_FLIGHT) {
    const next = Math.min(count, open + IN_FLIGHT);
    const asked = client.asked(next);
    // On a session these calls have no result until the server is stopped.
    const failed = new Promise<never>((_, reject) => {
      for (let started = open; started < next; started++) call().catch(reject);
    });
    failed.catch(() => {});
    await Promise.race([asked, failed]);
  }
}
