/** What differs from one transport to another, as the scenarios see it. */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Revision, ServerOptions } from "@photon/server";
import type { EventLog } from "../clients/event-log.ts";
import type { SdkV1Client } from "../clients/sdk-v1-client.ts";
import type { SdkV2Client } from "../clients/sdk-v2-client.ts";

export type ScenarioClient = SdkV1Client | SdkV2Client;

/** A server of the scenarios. */
export interface ScenarioServer {
  /** A client with these capabilities that has yet to connect. */
  createClient(capabilities: ClientCapabilities): ScenarioClient;
  /** How many sessions are left, once the bodies of closed sessions have ended. */
  sessions(): Promise<number>;
  close(): Promise<void>;
}

/** What not every transport has. */
export type Feature =
  | "prompts and resources"
  | "tools that are added while the server runs"
  | "an error for an unknown tool"
  | "a second response to a question"
  | "pages"
  | "whenUnsupported";

export type ScenarioServerOptions = Pick<ServerOptions, "clock" | "whenUnsupported">;

/** A call that asks a question when its connection is lost ends, or waits for another connection. */
type OnDisconnect = "ends" | "waits";

export interface ScenarioTransport {
  readonly name: string;
  /** On a session; and in 2026-07-28, where the transport carries that. */
  readonly onDisconnect: { readonly session: OnDisconnect; readonly stateless?: OnDisconnect };
  /** The revisions in which all scenarios run. `suites.mjs` says what runs in the others. */
  readonly fullIn?: readonly Revision[];
  /** What the transport does not have, with the reason. The scenarios for it do not run. */
  readonly lacks?: { readonly [feature in Feature]?: string };
  /** Starts a server that speaks no newer revision. Its tools write to the log. */
  serve(revision: Revision, log: EventLog<string>, options?: ScenarioServerOptions): Promise<ScenarioServer>;
}
