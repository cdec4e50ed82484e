/** Calls of 2026-07-28 that only one process has: a request that reaches another is passed on to it (row E4). */
import { randomBytes } from "node:crypto";
import { ask, emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { ServerOptions } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { serveStateless } from "../wire/servers.ts";
import { accepted, codeIn, textOf } from "../../../../test/clients/raw-client.ts";

const keys = [randomBytes(32).toString("base64")];

const greet = tool({
  name: "greet",
  async *run() {
    const name = yield* ask.text("Name?");
    yield emit.status(`Greeting ${name}`);
    return `Hello ${name}`;
  },
});

/** Two processes that share a store. */
async function two(options: ServerOptions) {
  const store = memoryStore();
  const open = (): ReturnType<typeof serveStateless> =>
    serveStateless({ keys, store, lease: "200ms", report() {}, ...options });
  return [await open(), await open()] as const;
}

describe("a call of a tool that is not durable", () => {
  it(
    verifies(
      "E4",
      "goes on where it is when the answer reaches another process, which passes back what it tells",
    ),
    async () => {
      const [here, there] = await two({ tools: [greet] });
      const asked = await here.client.call("greet");

      const received = await there.client.accept(asked, { "ask-1": "Ada" }, { meta: { progressToken: "p" } });

      expect(received.told.map(({ params }) => params?.["message"])).toEqual(["Greeting Ada"]);
      expect(textOf(received.answer)).toBe("Hello Ada");
      expect(here.server.parked).toBe(0);
    },
  );

  it("is refused in another process under another name than its caller's", async () => {
    const [here, there] = await two({
      tools: [greet],
      authenticate: ({ headers }) => headers["x-who"] as string | undefined,
    });
    const asked = await here.client.call("greet", {}, { headers: { "x-who": "ada" } });

    const stolen = await there.client.accept(asked, { "ask-1": "Eve" }, { headers: { "x-who": "eve" } });

    expect(codeIn(stolen)).toBe(-32602);
    expect(here.server.parked).toBe(1);
  });

  it("is over when the process that had it has gone", async () => {
    const [here, there] = await two({ tools: [greet] });
    const asked = await here.client.call("greet");
    await here.server.close();

    const late = await there.client.accept(asked, { "ask-1": "Ada" });

    expect(late.answer.error?.message).toContain("call again from the start");
  });

  it("is closed when whoever waits for it in another process goes away", async () => {
    let isClosed = (): void => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const slow = tool({
      name: "slow",
      async *run(_, { signal }) {
        yield* ask.text("Name?");
        yield emit.status("working");
        try {
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
        } finally {
          isClosed();
        }
      },
    });
    const [here, there] = await two({ tools: [slow] });
    const asked = await here.client.call("slow");
    const retry = there.client.beginRetry(asked, accepted({ "ask-1": "Ada" }), {
      meta: { progressToken: "p" },
    });
    await retry.messages.next(({ method }) => method === "notifications/progress");

    await retry.leave();

    await closed;
    await expect.poll(() => here.server.parked).toBe(0);
  });
});
