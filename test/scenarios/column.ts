/** What differs from one transport to another, as the scenarios see it. */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Revision, ServerOptions } from "@photon/server";
import type { Happenings } from "./happenings.ts";

/** A connection of one client, not yet made. */
export interface Dialled {
  readonly transport: Transport;
  /** Settles, once connected, when the server has a way to speak unasked. */
  ready?(): Promise<void>;
  /** Ends the session, as a client does that is done. */
  leave(): Promise<void>;
  /** Is gone, without a word to the server. */
  vanish(): Promise<void>;
}

/** A server of the scenarios. */
export interface Served {
  dial(): Dialled;
  /** How many sessions are left, now that the bodies of those who have gone have ended. */
  sessions(): Promise<number>;
  stop(): Promise<void>;
}

/** What not every column has. */
export type Need =
  | "prompts and resources"
  | "tools that come while it runs"
  | "an error for a call of no tool"
  | "a second answer to a question";

export interface Column {
  readonly name: string;
  /** What becomes of the session of a client that is suddenly gone: it ends, or waits for the client to come back. */
  readonly whenGone: "ends" | "waits";
  /** What it does not have, with the reason. The scenarios that need it are skipped, under that reason. */
  readonly lacks?: { readonly [need in Need]?: string };
  /** Starts a server that speaks no newer revision. What its bodies tell is added to `told`. */
  serve(
    revision: Revision,
    told: Happenings<string>,
    options?: Pick<ServerOptions, "clock">,
  ): Promise<Served>;
}
