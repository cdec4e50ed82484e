/**
 * Photon's tools on a server made with the MCP SDK.
 *
 * The handlers are wrapped: a call of one of Photon's tools is run like any other call (calls/), every other request is passed
 * to the handler that was registered before.
 */
import {
  CallToolRequestSchema,
  type CallToolResult,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  type ListToolsResult,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Replies, Round, Tool } from "@photon/core";
import { toolListing } from "../protocol/listings.ts";
import { createRegistry } from "../catalog.ts";
import { INVALID_PARAMS, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { resolveSettings, type Settings } from "../settings.ts";
import type { Limits } from "../limits.ts";
import { type Extra, handlerOf, lowOf, type LowServer, type SdkServer, SdkSession } from "./sdk-session.ts";
import { callTool } from "../calls/call-kinds.ts";
import { driveCall } from "../durable/drive-call.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { cancellationReason } from "../sessions/request-handler.ts";
import { SessionClient } from "../sessions/session-client.ts";
import { homeOf } from "./sdk-client.ts";

export interface MountOptions extends Partial<
  Pick<Settings, "answerers" | "askTimeout" | "clock" | "grace" | "maxRevision" | "report">
> {
  readonly limits?: Partial<Pick<Limits, "asksPerSession" | "runsPerSession">>;
}

export interface Mounted {
  /** How many calls of these tools are under way. */
  readonly calls: number;
  /** Settles when none is: closing an SDK server does not wait for the bodies it closes. */
  ended(): Promise<void>;
}

/**
 * Mounts tools on an SDK server that is not connected yet. On an `McpServer` it does not matter what is registered
 * first; on a `Server`, mount after its own handlers for tools are set.
 */
export function mountTools(
  server: SdkServer,
  tools: Iterable<Tool<never>>,
  options: MountOptions = {},
): Mounted {
  const ours = createRegistry("tool", tools);
  const low = lowOf(server);
  const session = new SdkSession(low, resolveSettings(options));
  const mounted: Mounted = {
    get calls() {
      return session.calls.size;
    },
    ended: () => session.ended(),
  };
  if (ours.list().length === 0) return mounted;
  low.registerCapabilities({ tools: {}, logging: {} });
  if ("server" in server) claimNames(server, ours.list());
  follow(low, session);

  const listBehind = handlerOf(low, "tools/list");
  low.setRequestHandler(ListToolsRequestSchema, async (request, extra) => {
    // What a handler of this method gives, as the SDK types it where one is set.
    const theirs = (await listBehind?.(request, extra)) as ListToolsResult | undefined;
    // Ours are on the first page.
    if (theirs !== undefined && request.params?.cursor !== undefined) return theirs;
    const others = theirs?.tools.filter(({ name }) => ours.find(name) === undefined) ?? [];
    const listed = ours.list().map((tool) => toolListing(tool, session.features));
    // What `toolListing` makes has the shape of the protocol's own type, which is checked by the SDK's client in tests.
    return { ...theirs, tools: [...others, ...(listed as ListToolsResult["tools"])] };
  });

  const callBehind = handlerOf(low, "tools/call");
  low.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: given } = request.params;
    const tool = ours.find(name);
    if (tool !== undefined) return callOnSdk(tool, given, session, extra);
    if (callBehind !== undefined) return callBehind(request, extra);
    throw new RpcError(INVALID_PARAMS, `There is no tool called ${JSON.stringify(name)}.`);
  });
  return mounted;
}

/** Takes the names, so that an `McpServer` refuses a second tool of the same name, whichever comes first. */
function claimNames(server: Extract<SdkServer, { server: unknown }>, tools: readonly Tool<never>[]): void {
  for (const { name = "" } of tools) {
    server.registerTool(name, {}, () => {
      throw new Error(
        `${name} was mounted by Photon, and the handler of tools/call has been replaced since.`,
      );
    });
  }
}

/** Lets the session know what the client and the server have agreed on. */
function follow(low: LowServer, session: SdkSession): void {
  const initializeBehind = handlerOf(low, "initialize");
  low.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
    const result = (await initializeBehind?.(request, extra)) ?? {};
    const protocolVersion = session.begin(result["protocolVersion"]);
    return { ...result, protocolVersion };
  });
  const setLevelBehind = handlerOf(low, "logging/setLevel");
  low.setRequestHandler(SetLevelRequestSchema, async (request, extra) => {
    session.setLogLevel(request.params.level);
    return (await setLevelBehind?.(request, extra)) ?? {};
  });
}

/** Runs one of our tools in a session of the SDK's, if there is room for it; the call's signal closes it. */
async function callOnSdk(
  tool: Tool<never>,
  given: unknown,
  session: SdkSession,
  extra: Extra,
): Promise<CallToolResult> {
  const { runsPerSession } = session.settings.limits;
  if (session.calls.size >= runsPerSession)
    throw new RpcError(
      OVER_LIMIT,
      `This session has reached its limit of calls under way (${runsPerSession}).`,
    );
  const called = call(tool, given, session, extra);
  session.calls.add(called);
  try {
    return await called;
  } finally {
    session.calls.delete(called);
  }
}

async function call(
  tool: Tool<never>,
  given: unknown,
  session: SdkSession,
  extra: Extra,
): Promise<CallToolResult> {
  const { requestId, signal, _meta } = extra;
  const clientPort = new SessionClient(
    homeOf(session, extra),
    requestId,
    _meta?.progressToken,
    tool.name ?? "",
  );
  const close = (): void => void clientPort.close(cancellationReason(signal.reason));
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  const runner = callTool(tool, given, clientPort);
  try {
    const ask = (round: Round): Promise<Replies> =>
      new Promise((resume, failed) => {
        clientPort.ask(round, { resume, failed });
      });
    // Every round is replied to here, so that the call has a result.
    const result = (await driveCall(runner, clientPort, ask)) as JsonObject;
    await clientPort.untilResultMayBeSent(result);
    // The server looks at it once more, with the schema of this very type.
    return result as CallToolResult;
  } finally {
    await runner.close();
    signal.removeEventListener("abort", close);
  }
}
