import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { mountTools, serveSdk, type Mounted } from "@photon/server/sdk";
import type { Column } from "./column.ts";
import { dialWebSocket } from "./dial-websocket.ts";
import { SessionGuest } from "./session-guest.ts";
import { cast } from "./tools.mjs";

/** The tools on servers of the SDK, over our WebSocket: every client has a server of its own. */
export const sdkAdapter: Column = {
  name: "SDK adapter",
  whenGone: { session: "ends" },
  lacks: {
    pages: "an SDK server has no page to send anybody to",
    "calls that are handed over": "an SDK server has no place where a call could wait",
    "prompts and resources": "only tools are mounted",
    "tools that come while it runs": "tools that are mounted stay as they are",
    "an error for a call of no tool": "an McpServer answers it by itself, with an error result",
    "a second answer to a question": "the SDK has settled the request with the first",
  },
  async serve(revision, told, { whenUnsupported, ...options } = {}) {
    const { tools } = cast({
      tell: (line) => told.add(line),
      replace() {
        throw new Error("Tools that are mounted stay as they are.");
      },
    });
    // What is mounted has no server to say this for all of its tools: each says it itself.
    const mountable =
      whenUnsupported === undefined ? tools : tools.map((tool) => ({ ...tool, whenUnsupported }));
    const report = (error: unknown): void => told.add(String(error));
    const open = new Set<McpServer>();
    const mounts: Mounted[] = [];
    const ended = async (): Promise<void> => {
      await Promise.all(mounts.map((mounted) => mounted.ended()));
    };
    const door = await serveSdk(
      () => {
        const server = new McpServer({ name: "scenarios", version: "1.0.0" });
        mounts.push(mountTools(server, mountable, { maxRevision: revision, report, ...options }));
        open.add(server);
        Object.assign(server.server, { onclose: () => open.delete(server) });
        return server;
      },
      { transports: ["websocket"] },
    );
    const http = createServer();
    http.on("upgrade", (request, socket, head) => door.upgrade(request, socket, head));
    await new Promise<void>((resolve) => {
      http.listen(0, "127.0.0.1", resolve);
    });
    // A server that listens on a port has an address with that port.
    const { port } = http.address() as AddressInfo;
    return {
      invite: (can) => new SessionGuest(dialWebSocket(`http://127.0.0.1:${port}`), can),
      async sessions() {
        await ended();
        return open.size;
      },
      async stop() {
        await door.close();
        await ended();
        http.close();
      },
    };
  },
};
