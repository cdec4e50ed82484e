/** How often a call reads and writes JSON, and how many timers it creates: each costs time, the same on every machine. */
import { expect, it } from "vitest";
import { connectClient } from "../../bench/client/connect.ts";
import type { Revision, Transport } from "../../bench/client/connection.ts";
import { CountedServer } from "./counted-server.ts";

/** At most so many JSON.parse, JSON.stringify and timers. */
type Bound = readonly [parses: number, stringifies: number, timers: number];

/** Lower a number when the server needs less. */
const bounds: readonly {
  readonly transport: Transport;
  readonly revision: Revision;
  /** A tool that returns its input. */
  readonly call: Bound;
  /** A tool that asks one question. */
  readonly ask: Bound;
  /** A tool that emits progress a hundred times. */
  readonly progress: Bound;
}[] = [
  { transport: "stdio", revision: "2025-11-25", call: [1, 1, 0], ask: [2, 2, 1], progress: [1, 101, 1] },
  { transport: "websocket", revision: "2025-11-25", call: [1, 1, 0], ask: [2, 2, 1], progress: [1, 101, 1] },
  { transport: "http", revision: "2025-11-25", call: [1, 1, 1], ask: [2, 2, 4], progress: [1, 101, 2] },
  { transport: "sse", revision: "2025-11-25", call: [1, 1, 1], ask: [2, 2, 3], progress: [1, 101, 2] },
  { transport: "stdio", revision: "2026-07-28", call: [1, 2, 0], ask: [2, 8, 1], progress: [1, 102, 0] },
  { transport: "websocket", revision: "2026-07-28", call: [1, 2, 0], ask: [2, 8, 1], progress: [1, 102, 1] },
  { transport: "http", revision: "2026-07-28", call: [1, 2, 1], ask: [2, 8, 3], progress: [1, 102, 2] },
];

it.each(bounds)(
  "a call, a question and 100 progress notifications take few reads and writes of JSON and few timers, over $transport, $revision",
  { timeout: 60_000 },
  async ({ transport, revision, call, ask, progress }) => {
    const server = await CountedServer.start(transport);
    const caller = await connectClient(server, { transport, revision });

    const called = await server.count(caller.prepare({ tool: "echo", input: { text: "Hello, world" } }));
    const asked = await server.count(caller.prepare({ tool: "ask", input: { questions: 1 } }));
    const told = await server.count(caller.prepare({ tool: "progress", input: {}, wantsProgress: true }));

    for (const [counted, bound] of [
      [called, call],
      [asked, ask],
      [told, progress],
    ] as const) {
      const { parses, stringifies, timers } = counted;
      const over = [parses, stringifies, timers].filter((count, index) => count > (bound[index] ?? 0));
      expect(over, `${[parses, stringifies, timers].join(", ")}; bound ${bound.join(", ")}`).toEqual([]);
    }
  },
);
