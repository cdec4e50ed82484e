/** Whether a process should be sent requests: `/readyz`. */
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type ServerOptions } from "../src/index.ts";
import { memoryStore } from "../src/stores/memory-store.ts";

async function readinessOf(options: ServerOptions): Promise<{ status: number; body: unknown }> {
  const server = createServer({ report() {}, ...options });
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: await response.json() };
}

describe("/readyz", () => {
  it("says that a server is ready which needs nothing else", async () => {
    expect(await readinessOf({})).toEqual({ status: 200, body: { status: "ready" } });
  });

  it("says that one is not whose store cannot be reached", async () => {
    const store = memoryStore();
    await store.close();

    const ready = await readinessOf({ store, keys: [randomBytes(32).toString("base64")] });

    expect(ready).toEqual({
      status: 503,
      body: { status: "not ready", problem: "Its store cannot be reached." },
    });
  });

  it("says that one is not which has as many sessions as it takes", async () => {
    const { status } = await readinessOf({ limits: { sessions: 0 } });

    expect(status).toBe(503);
  });
});
