/**
 * Photon's tools on a server made with the MCP SDK.
 *
 * The server's request handlers are wrapped: Photon runs the calls of its tools like any other call (calls/), and passes every other
 * request to the handler that was there before.
 */
import {
  CallToolRequestSchema,
  type CallToolResult,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Duration, Replies, Tool } from "@photon/core";
import { driveCall, ToolRunner } from "../calls/call-runner.ts";
import { createRegistry } from "../catalog.ts";
import { INVALID_PARAMS, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { Limits } from "../limits.ts";
import { toolListing } from "../protocol/listings.ts";
import { cancellationReason, SessionClient } from "../sessions/session-client.ts";
import { resolveSettings, type Settings } from "../settings.ts";
import {
  contextOf,
  type Extra,
  lowLevelServer,
  type LowLevelServer,
  type Mounted,
  type SdkServer,
  SdkSession,
} from "./sdk-session.ts";

/** The options of `mountTools`. */
export interface MountOptions extends Partial<
  Pick<Settings, "answerers" | "askTimeout" | "clock" | "maxRevision" | "report">
> {
  /** How long a cancelled body may take to end: `"5s"` without this. */
  readonly grace?: Duration;
  readonly limits?: Partial<Pick<Limits, "asksPerSession" | "runsPerSession">>;
}

/**
 * Mounts tools on an SDK server that is not connected yet. An `McpServer` may have its own tools registered before or after; on a
 * `Server`, mount after its own handlers for tools are set.
 */
export function mountTools(
  server: SdkServer,
  tools: Iterable<Tool<never>>,
  options: MountOptions = {},
): Mounted {
  const own = createRegistry("tool", tools);
  const lowLevel = lowLevelServer(server);
  const session = new SdkSession(lowLevel, resolveSettings(options));
  if (own.list().length === 0) return session;
  lowLevel.registerCapabilities({ tools: {}, logging: {} });
  if ("server" in server) reserveNames(server, own.list());
  followSession(lowLevel, session);

  const otherListing = handlerOf(lowLevel, "tools/list");
  lowLevel.setRequestHandler(ListToolsRequestSchema, async (request, extra) => {
    // The SDK requires this result of a handler for this method.
    const listed = (await otherListing?.(request, extra)) as ListToolsResult | undefined;
    // Photon's tools are on the first page.
    if (listed !== undefined && request.params?.cursor !== undefined) return listed;
    const others = listed?.tools.filter(({ name }) => own.find(name) === undefined) ?? [];
    const { features } = session.handshake;
    const ours = own.list().map((tool) => toolListing(tool, features));
    // `toolListing` returns the protocol's own type, which the SDK's client checks in tests.
    return { ...listed, tools: [...others, ...(ours as ListToolsResult["tools"])] };
  });

  const otherCall = handlerOf(lowLevel, "tools/call");
  lowLevel.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: input } = request.params;
    const tool = own.find(name);
    if (tool !== undefined) return callOnSdk(tool, input, session, extra);
    if (otherCall !== undefined) return otherCall(request, extra);
    throw new RpcError(INVALID_PARAMS, `There is no tool called ${JSON.stringify(name)}.`);
  });
  return session;
}

/** Registers the names, so that an `McpServer` refuses a second tool of the same name, whichever comes first. */
function reserveNames(server: Extract<SdkServer, { server: unknown }>, tools: readonly Tool<never>[]): void {
  for (const { name = "" } of tools) {
    server.registerTool(name, {}, () => {
      throw new Error(`Photon mounted ${name}, and the handler of tools/call has been replaced since.`);
    });
  }
}

/** Tells the session the revision and the log level that the client and the server have agreed on. */
function followSession(server: LowLevelServer, session: SdkSession): void {
  const otherInitialize = handlerOf(server, "initialize");
  server.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
    const result = (await otherInitialize?.(request, extra)) ?? {};
    return { ...result, protocolVersion: session.initialize(result["protocolVersion"]) };
  });
  const otherSetLevel = handlerOf(server, "logging/setLevel");
  server.setRequestHandler(SetLevelRequestSchema, async (request, extra) => {
    session.logLevel = request.params.level;
    return (await otherSetLevel?.(request, extra)) ?? {};
  });
}

type Handler = (request: object, extra: Extra) => Promise<{ [field: string]: unknown }>;

/**
 * The handler that a server has for a method.
 *
 * The SDK lets a handler be replaced and not be read. Every 1.x keeps them in the same private map.
 */
function handlerOf(server: LowLevelServer, method: string): Handler | undefined {
  const handlers: unknown = Reflect.get(server, "_requestHandlers");
  if (!(handlers instanceof Map))
    throw new TypeError("This is not a server of @modelcontextprotocol/sdk 1.x: it has no map of handlers.");
  // `setRequestHandler` stores only this type.
  return handlers.get(method) as Handler | undefined;
}

/** Runs a tool, if the session's limit allows it. */
async function callOnSdk(
  tool: Tool<never>,
  input: unknown,
  session: SdkSession,
  extra: Extra,
): Promise<CallToolResult> {
  const { runsPerSession } = session.settings.limits;
  if (session.calls >= runsPerSession)
    throw new RpcError(
      OVER_LIMIT,
      `This session has reached its limit of calls under way (${runsPerSession}).`,
    );
  const call = runTool(tool, input, session, extra);
  session.running.add(call);
  try {
    return await call;
  } finally {
    session.running.delete(call);
  }
}

/** The signal of the request closes the call. */
async function runTool(
  tool: Tool<never>,
  input: unknown,
  session: SdkSession,
  extra: Extra,
): Promise<CallToolResult> {
  const { requestId, signal, _meta } = extra;
  const clientPort = new SessionClient(
    contextOf(session, extra),
    requestId,
    _meta?.progressToken,
    tool.name ?? "",
  );
  const close = (): void => void clientPort.close(cancellationReason(signal.reason));
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  const runner = new ToolRunner(tool, input, clientPort);
  try {
    // Every round is replied to here, so that the call has a result.
    const result = (await driveCall(runner, clientPort, (round) => {
      return new Promise<Replies>((resume, failed) => {
        void clientPort.ask(round, { resume, failed });
      });
    })) as JsonObject;
    await clientPort.beforeResponse(result["isError"] === true);
    // The SDK checks the result with the schema of this type.
    return result as CallToolResult;
  } catch (error) {
    await clientPort.beforeResponse(true);
    throw error;
  } finally {
    await runner.close();
    signal.removeEventListener("abort", close);
  }
}
