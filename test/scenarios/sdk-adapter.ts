import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { mountTools, serveSdk, type Mounted } from "@photon/server/sdk";
import { webSocket } from "../clients/connections.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { createDefinitions } from "./tools.mjs";
import type { ScenarioTransport } from "./transport.ts";

/** The tools on servers of the SDK, over Photon's WebSocket. Every client has a server. */
export const sdkAdapter: ScenarioTransport = {
  name: "SDK adapter",
  onDisconnect: { session: "ends" },
  fullIn: ["2025-11-25"],
  lacks: {
    pages: "an SDK server has no pages",
    whenUnsupported: "an SDK server has no store for calls that wait",
    "prompts and resources": "only tools are mounted",
    "tools that are added while the server runs": "mounted tools do not change",
    "an error for an unknown tool": "the McpServer responds with an error result",
    "a second response to a question": "the SDK has resolved the request with the first",
  },
  async serve(revision, log, { whenUnsupported, ...options } = {}) {
    const { tools } = createDefinitions({
      log: (line) => log.add(line),
      replace() {
        throw new Error("Mounted tools do not change.");
      },
    });
    // There is no server option for mounted tools: each tool has the option.
    const mountable =
      whenUnsupported === undefined ? tools : tools.map((tool) => ({ ...tool, whenUnsupported }));
    const report = (error: unknown): void => log.add(String(error));
    const open = new Set<McpServer>();
    const mounts: Mounted[] = [];
    const ended = async (): Promise<void> => {
      await Promise.all(mounts.map((mounted) => mounted.ended()));
    };
    const endpoint = await serveSdk(
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
    http.on("upgrade", (request, socket, head) => endpoint.upgrade(request, socket, head));
    await new Promise<void>((resolve) => {
      http.listen(0, "127.0.0.1", resolve);
    });
    // The server listens on a port, not on a pipe.
    const { port } = http.address() as AddressInfo;
    return {
      createClient: (capabilities) =>
        new SdkV1Client(webSocket(`http://127.0.0.1:${port}`), { capabilities }),
      async sessions() {
        await ended();
        return open.size;
      },
      async close() {
        await endpoint.close();
        await ended();
        http.close();
      },
    };
  },
};
