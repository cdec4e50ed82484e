/** Makes calls that ask, and leaves their questions open: a few at a time, as a client that does several things. */
import type { Caller } from "../client/caller.ts";

const AT_ONCE = 50;

/** Until there are so many; `from` says how many there are already. */
export async function leaveOpen(caller: Caller, many: number, from = 0): Promise<void> {
  const begin = caller.prepare({ tool: "ask", input: { questions: 1 } });
  for (let open = from; open < many; open += AT_ONCE) {
    const next = Math.min(many, open + AT_ONCE);
    const asked = caller.asked(next);
    // On a session they stay without a result, and end with the server.
    const failed = new Promise<never>((_, reject) => {
      for (let begun = open; begun < next; begun++) begin().catch(reject);
    });
    failed.catch(() => {});
    await Promise.race([asked, failed]);
  }
}
