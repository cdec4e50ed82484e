/** Calls that wait for answers: what they cost, what they hold on to, and that they end by themselves. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { isWhole } from "../../../test/long.ts";
import { verifies } from "../../../test/requirements.ts";
import { Gate } from "./wire/gate.ts";
import { openInProcess } from "./wire/retained.ts";
import { serveStateless } from "./wire/servers.ts";
import { textOf } from "../../../test/clients/raw-client.ts";
import { greet, Witness } from "./wire/tools.ts";

const MANY = isWhole ? 20_000 : 4000;
const KIBIBYTE = 1024;
/** What the engine itself may come to need meanwhile. One small object a call would be more. */
const MEBIBYTE = KIBIBYTE * KIBIBYTE;
const fixture = fileURLToPath(new URL("fixtures/park-many.mjs", import.meta.url));

/** What the process of the fixture prints. */
interface Seen {
  readonly bytesEach: number;
  readonly growth: number;
}

describe(`${MANY.toLocaleString("en")} calls that nobody comes back for`, () => {
  it.each([
    // What F2 allows a question that waits.
    ["plain", 3 * KIBIBYTE],
    // It has a journal besides.
    ["durable", 4 * KIBIBYTE],
  ])(
    verifies(
      ["C6", "B8"],
      "end when their time is over, if their tool is %s: bodies, places and timers; the heap is as it was",
    ),
    { timeout: 180_000 },
    async (kind, most) => {
      const args = ["--expose-gc", fixture, String(MANY), kind];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const { bytesEach, growth, ...seen } = JSON.parse(stdout) as Seen;

      process.stdout.write(`A call of a ${kind} tool that waits: ${Math.round(bytesEach)} bytes of heap.\n`);
      expect(seen).toEqual({ parked: MANY, begun: 2 * MANY, ended: 2 * MANY, left: 0, timers: 0 });
      expect(bytesEach).toBeLessThan(most);
      expect(growth).toBeLessThan(MEBIBYTE);
    },
  );
});

describe("a call over HTTP", () => {
  it(verifies(["C5", "B8"], "is cancelled when its client hangs up while it works"), async () => {
    const gate = new Gate();
    const witness = new Witness();
    const working = tool({
      name: "working",
      async *run(_, { signal }) {
        try {
          yield emit.status("Working");
          await gate.passed(signal);
          return "done";
        } finally {
          witness.end(String(signal.aborted));
        }
      },
    });
    const { client, server } = await serveStateless({ tools: [working] });
    const call = client.begin("tools/call", { name: "working", arguments: {} });
    await gate.reached;

    await call.leave();
    await witness.afterEnd();

    expect(witness.ended).toEqual(["true"]);
    expect(server.parked).toBe(0);
  });

  it("that waits for answers holds no connection open, and is gone on with on another", async () => {
    const { client, server } = await serveStateless({ tools: [greet] });
    const asked = await client.call("greet", {}, { headers: { connection: "close" } });
    await client.close();

    while (openInProcess().sockets > 0) await new Promise(setImmediate);
    expect(server.parked).toBe(1);
    const greeted = await client.accept(asked, { "ask-1": "Ada" });

    expect(textOf(greeted.answer)).toBe("Hello, Ada");
  });
});
