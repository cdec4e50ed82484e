/** A call takes the same, however many tools, waiting calls and sessions there are. */
import { describe, expect, it } from "vitest";
import { connectClient } from "../../bench/client/connect.ts";
import type { Call } from "../../bench/client/call-message.ts";
import { openQuestions } from "../../bench/harness/open-questions.ts";
import { CountedServer, type Counts } from "./counted-server.ts";

const patient = { timeout: 60_000 };
const echo: Call = { tool: "echo", input: { text: "Hello, world" } };

/** Bytes may differ a little: a table that has grown takes more. */
function assertSame(counted: Counts, before: Counts): void {
  expect({ ...counted, bytes: 0 }).toEqual({ ...before, bytes: 0 });
  expect(counted.bytes / before.bytes).toBeLessThan(1.02);
}

describe.each(["2025-11-25", "2026-07-28"] as const)("in %s a call takes the same", (revision) => {
  it("with three tools and with a thousand", patient, async () => {
    const [few, many] = await Promise.all([CountedServer.start("stdio"), CountedServer.start("stdio", 1000)]);
    const wire = { transport: "stdio", revision } as const;

    const before = await few.count((await connectClient(few, wire)).prepare(echo));
    const counted = await many.count((await connectClient(many, wire)).prepare(echo));

    assertSame(counted, before);
  });

  it("with no other call and with 2,000 that wait for an answer", patient, async () => {
    const server = await CountedServer.start("websocket");
    const caller = await connectClient(server, {
      transport: "websocket",
      revision,
      leavesQuestionsOpen: true,
    });
    const call = caller.prepare(echo);

    const before = await server.count(call);
    await openQuestions(caller, 2000);
    const counted = await server.count(call);

    assertSame(counted, before);
  });
});

it("a call takes the same in the only session and in one of 200", patient, async () => {
  const server = await CountedServer.start("http");
  const wire = { transport: "http", revision: "2025-11-25" } as const;
  const call = (await connectClient(server, wire)).prepare(echo);

  const before = await server.count(call);
  // A session outlives its connections.
  for (let others = 1; others < 200; others++) (await connectClient(server, wire)).close();
  const counted = await server.count(call);

  assertSame(counted, before);
});
