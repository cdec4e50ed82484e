import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ask, resource, tool } from "@photon/core";
import { describe, expect, it, vi } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { createServer } from "../src/index.ts";
import { listening, transports } from "./wire/servers.ts";
import { overHttp, overWebSocket } from "../../../test/clients/carriers.ts";
import { MessageQueue, type Message, hasMethod } from "../../../test/clients/messages.ts";
import { ELICITATION, callOf } from "../../../test/clients/raw-client.ts";
import { countingClock } from "./wire/counting-clock.ts";
import { heldOnHeap } from "./wire/retained.ts";
import { Witness, witnessed } from "./wire/tools.ts";

const fixture = fileURLToPath(new URL("fixtures/serve-and-close.mjs", import.meta.url));

describe("nothing is left", () => {
  it(
    verifies("B8", "of a server that was closed: its process ends by itself, and every body has ended"),
    { timeout: 20_000 },
    async () => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [fixture]);

      expect(JSON.parse(stdout)).toEqual({ sessions: 3, left: 0, begun: 3, ended: 3 });
      expect(stderr).toBe("");
    },
  );

  it.each(Object.entries(transports))(
    verifies("B8", "of clients that have gone, over %s: no session, no pending request, no timer"),
    { timeout: 20_000 },
    async (_, set) => {
      const kinds = ["sessions", "pendingRequests"] as const;
      const clock = countingClock();
      const witness = new Witness();
      const stage = await set({ tools: [witnessed(witness)], clock });
      const clients = await Promise.all(Array.from({ length: 5 }, () => stage.connect()));
      for (const client of clients) {
        await client.initialize();
        client.begin("tools/call", callOf("witnessed", {}, { progressToken: 1 }));
        await client.receive();
      }
      expect(heldOnHeap(kinds)).toEqual({ sessions: 5, pendingRequests: 5 });
      expect(clock.running).toBeGreaterThan(5);

      await Promise.all(clients.map((client) => client.close()));
      await witness.afterEnd(5);

      await vi.waitFor(() => expect(heldOnHeap(kinds)).toEqual({ sessions: 0, pendingRequests: 0 }), 10_000);
      expect(stage.server.sessions).toBe(0);
      expect(clock.running).toBe(0);
    },
  );

  it("of a session on HTTP or WebSocket that has ended, while the server goes on", async () => {
    const clock = countingClock();
    const { server, url } = await listening({ clock });
    const [http, socket] = [await overHttp(url), await overWebSocket(url)];
    for (const client of [http, socket]) await client.initialize();
    expect(clock.running).toBe(2);

    await http.close();
    await socket.close();
    while (server.sessions > 0) await fetch(`${url}/healthz`);

    expect(clock.running).toBe(0);
  });

  it("of a subscription that was given up or whose session has ended", async () => {
    const signals: AbortSignal[] = [];
    let change = (): void => {};
    const page = resource({
      uri: "page://{number}",
      watch({ signal, changed }) {
        signals.push(signal);
        change = changed;
      },
      async *run({ number }) {
        return number;
      },
    });
    const { server, url } = await listening({ resources: [page] });
    const client = await overWebSocket(url);
    await client.initialize();
    await client.request("resources/subscribe", { uri: "page://1" });
    change();
    expect((await client.receive("notifications/resources/updated")).params).toEqual({ uri: "page://1" });
    await client.request("resources/unsubscribe", { uri: "page://1" });
    change();
    await client.request("resources/subscribe", { uri: "page://2" });

    await server.close();

    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    const updates = client.messages.all.filter(
      (one) => (one as Message).method === "notifications/resources/updated",
    );
    expect(updates).toHaveLength(1);
  });

  it("of a line that was opened by other means: closing the server hangs it up", async () => {
    const server = createServer();
    let hangUps = 0;
    const line = server.open({
      mayMergeReads: false,
      send() {},
      close() {
        hangUps += 1;
      },
    });

    await server.close();
    await line.close();

    expect(hangUps).toBe(1);
    expect(server.sessions).toBe(0);
  });

  it("waiting: whoever closes a session a second time waits for its bodies, too", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const order: string[] = [];
    const stubborn = tool({
      name: "stubborn",
      async *run() {
        try {
          yield* ask.text("Name?");
        } finally {
          await held;
          order.push("body");
        }
      },
    });
    const server = createServer({ tools: [stubborn] });
    const inbox = new MessageQueue();
    const line = server.open({ mayMergeReads: false, send: (message) => inbox.push(message), close() {} });
    line.receive({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: ELICITATION },
    });
    await inbox.next();
    line.receive({ jsonrpc: "2.0", id: 2, method: "tools/call", params: callOf("stubborn") });
    await inbox.next(hasMethod("elicitation/create"));

    void line.close();
    const again = line.close().then(() => order.push("closed"));
    release();
    await again;

    expect(order).toEqual(["body", "closed"]);
  });
});
