import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Tool } from "@photon/core";
import { callTool } from "../calls/call-kinds.ts";
import type { Ask } from "../calls/client-port.ts";
import { performed } from "../calls/call-runner.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { cancelledFor } from "../sessions/request-handler.ts";
import { LegacyFront } from "../sessions/session-client.ts";
import { homeOf } from "./sdk-home.ts";
import type { Extra } from "./sdk-server.ts";
import type { SdkSession } from "./sdk-session.ts";

/** Runs one of our tools in a session of the SDK's, if there is room for it; the call's signal closes it. */
export async function callOnSdk(
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
  const front = new LegacyFront(homeOf(session, extra), requestId, _meta?.progressToken, tool.name ?? "");
  const close = (): void => void front.close(cancelledFor(signal.reason));
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    const askThem: Ask = (round) =>
      new Promise((hear, failed) => {
        front.ask(round, { hear, failed });
      });
    const result = await performed(callTool(tool, given, front), askThem);
    await front.settled(result);
    // The server looks at it once more, with the schema of this very type.
    return result as CallToolResult;
  } finally {
    signal.removeEventListener("abort", close);
  }
}
