export type Revision = "2026-07-28" | "2025-11-25";
export type Way = "websocket" | "http";

export interface Settings {
  readonly revision: Revision;
  readonly way: Way;
  /** Who is here, where the server wants to know. A page cannot send it over WebSocket. Kept no longer than the tab. */
  readonly token: string;
}

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open"; readonly server: Server }
  /** It is tried again by itself, at that time. */
  | { readonly state: "lost"; readonly problem: string; readonly retryAt: number }
  /** The server wants a token, or another one. */
  | { readonly state: "refused"; readonly problem: string };

export interface Server {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
}
