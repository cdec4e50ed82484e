import type { Client } from "@photon/core";
import type { Features } from "../mcp/revisions.ts";
import type { Message, RequestId } from "../rpc/message.ts";
import type { Requests } from "../rpc/requests.ts";
import type { Settings } from "../settings.ts";

/** What a front needs of the session it belongs to, ours or one of the SDK's. */
export interface Home {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  readonly requests: Pick<Requests, "ask" | "size">;
  readonly coalesces: boolean;
  /** Whether its client was pinged and did not answer in time. */
  isMute: boolean;
  send(message: Message, about: RequestId): void | Promise<void>;
  isLogged(level: string): boolean;
}
