/** The servers of the MCP SDK, version 1, as far as they are touched here. */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";

/** `Server`, which the SDK calls deprecated under its own name. */
export type LowServer = McpServer["server"];
export type SdkServer = McpServer | LowServer;

/** The server that does the work. */
export const lowOf = (server: SdkServer): LowServer => ("server" in server ? server.server : server);

/** What the SDK gives a handler beside the request. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

type Handler = (request: object, extra: Extra) => Promise<{ [field: string]: unknown }>;

/**
 * The handler that a server has for a method.
 *
 * The SDK lets a handler be replaced and not be read. Every 1.x keeps them in the same private map.
 */
export function handlerOf(server: LowServer, method: string): Handler | undefined {
  const handlers: unknown = Reflect.get(server, "_requestHandlers");
  if (!(handlers instanceof Map))
    throw new TypeError("This is no server of @modelcontextprotocol/sdk 1.x: it has no map of handlers.");
  // The one type that `setRequestHandler` puts there.
  return handlers.get(method) as Handler | undefined;
}
