import type { Client } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { DeclaredClient } from "../protocol/client-info.ts";
import type { Features } from "../protocol/revisions.ts";
import type { OpenPageFor } from "../pages/page.ts";
import type { Message, RequestId } from "../jsonrpc/messages.ts";
import type { Requests } from "../jsonrpc/outgoing-requests.ts";
import type { Runs } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import type { ClientAtConnection } from "../suspicions.ts";
import type { Deadlines } from "../calls/question-deadlines.ts";

/** What a front needs of the session it belongs to, ours or one of the SDK's. */
export interface Home {
  readonly features: Features;
  readonly client: DeclaredClient;
  /** The client, as tools know it. */
  readonly known: Client;
  readonly settings: Settings;
  /** Whose session it is. */
  readonly principal: string;
  /** What its calls are counted for, where they are. */
  readonly account?: Account;
  /** Opens a page for a question that must not pass through the client, where there are pages. */
  readonly openPage?: OpenPageFor | undefined;
  readonly requests: Pick<Requests, "ask" | "takeBack" | "size"> & Partial<Pick<Requests, "giveAway">>;
  /** Where durable runs are kept, if there is a store. */
  readonly runs?: Runs | undefined;
  /** Whose time is running. */
  readonly deadlines: Deadlines;
  /** What is known of the client from how it replied. */
  readonly trust: ClientAtConnection;
  readonly coalesces: boolean;
  /** Whether its client was pinged and did not answer in time. */
  isMute: boolean;
  send(message: Message, about: RequestId): void | Promise<void>;
  isLogged(level: string): boolean;
  /** Another process has taken up the run of a request. */
  movedOn?(request: RequestId): void;
}
