/** What differs from one transport to another, as the scenarios see it. */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Revision, ServerOptions } from "@photon/server";
import type { Happenings } from "./happenings.ts";
import type { ModernGuest } from "./modern-guest.ts";
import type { SessionGuest } from "./session-guest.ts";

export type Guest = SessionGuest | ModernGuest;

/** A server of the scenarios. */
export interface Served {
  /** Somebody who can do all this, and has yet to arrive. */
  invite(can: ClientCapabilities): Guest;
  /** How many sessions are left, now that the bodies of those who have gone have ended. */
  sessions(): Promise<number>;
  stop(): Promise<void>;
}

/** What not every column has. */
export type Need =
  | "prompts and resources"
  | "tools that come while it runs"
  | "an error for a call of no tool"
  | "a second answer to a question"
  | "pages"
  | "calls that are handed over";

/** What differs from one server of the scenarios to another. */
export type ServeOptions = Pick<ServerOptions, "clock" | "whenUnsupported">;

/** What becomes of a call whose client is suddenly gone while it is asked: it ends, or waits for the client to come back. */
type WhenGone = "ends" | "waits";

export interface Column {
  readonly name: string;
  /** In a session; and in 2026-07-28, where the transport carries that. */
  readonly whenGone: { readonly session: WhenGone; readonly modern?: WhenGone };
  /** What it does not have, with the reason. The scenarios that need it are skipped, under that reason. */
  readonly lacks?: { readonly [need in Need]?: string };
  /** Starts a server that speaks no newer revision. What its bodies tell is added to `told`. */
  serve(revision: Revision, told: Happenings<string>, options?: ServeOptions): Promise<Served>;
}
