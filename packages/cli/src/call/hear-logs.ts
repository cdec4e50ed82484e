// oxlint-disable typescript/no-deprecated -- logs are leaving the protocol, and servers still send them
/** What a server logs while it is called. */
import { LOG_LEVEL_META_KEY, type Client, type RequestOptions } from "@modelcontextprotocol/client";
import type { Json, LogLevel } from "@photon/core";
import type { HeldEmits } from "./held-emits.ts";

interface Wanted {
  readonly level: LogLevel;
  /** Whether somebody asked for this level. */
  readonly isAsked: boolean;
}

/** Shows what the server logs about a tool; gives back what a call of it has to say to be told. */
export async function hearLogs(
  client: Client,
  tool: string,
  { level, isAsked }: Wanted,
  told: HeldEmits,
  request: RequestOptions,
): Promise<{ readonly [key: string]: unknown }> {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { logger, data } = params;
    // Photon's own servers log by the name of the tool, which everybody knows here.
    const isNamed = logger !== undefined && logger !== tool && typeof data === "string";
    // It came as JSON.
    told.show({ emit: "log", level: params.level, data: isNamed ? `${logger}: ${data}` : (data as Json) });
  });
  // In 2026-07-28 every call says what it wants to be told; a session has a level until it is set another.
  if (client.getProtocolEra() === "modern") return { [LOG_LEVEL_META_KEY]: level };
  if (isAsked && client.getServerCapabilities()?.logging !== undefined)
    await client.setLoggingLevel(level, request);
  return {};
}
