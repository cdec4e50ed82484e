/** What calls and questions take, counted: no machine is too slow for it, and none too fast. */
import { expect, it } from "vitest";
import { connectTo } from "../../bench/client/connect.ts";
import { verifies } from "../requirements.ts";
import { bounds, BYTES_MORE, type Counts } from "./bounds.ts";
import { CountedServer } from "./counted-server.ts";

/** The counts that are over their bounds, beside these. */
function tooMuch(counted: Counts, bound: Counts): Readonly<Record<string, string>> {
  const most: Counts = { ...bound, bytes: bound.bytes * BYTES_MORE };
  // Of an object with no other keys.
  const over = (Object.keys(most) as (keyof Counts)[]).filter((name) => counted[name] > most[name]);
  return Object.fromEntries(over.map((name) => [name, `${counted[name]}, not ${bound[name]}`]));
}

it.each(bounds)(
  verifies(
    ["F1", "F6"],
    "a call, a question and a hundred notifications take no more than they may, over $transport, $revision",
  ),
  { timeout: 60_000 },
  async ({ transport, revision, call, ask, tell }) => {
    const server = await CountedServer.start(transport);
    const caller = await connectTo(server, { transport, revision });

    const called = await server.count(caller.prepare({ tool: "echo", input: { text: "Hello, world" } }));
    const asked = await server.count(caller.prepare({ tool: "ask", input: { questions: 1 } }));
    const told = await server.count(caller.prepare({ tool: "tell", input: {}, isTold: true }));

    expect({
      call: tooMuch(called, call),
      ask: tooMuch(asked, ask),
      tell: tooMuch(told, tell),
    }).toEqual({ call: {}, ask: {}, tell: {} });
  },
);
