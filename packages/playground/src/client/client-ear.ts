/** What the page hears from a server, in whichever revision. */
import type { Server } from "../desk/connection.ts";
import type { RequestId } from "../wire/message.ts";
import type { Fields } from "../wire/record.ts";
import type { News } from "./news.ts";

export interface ClientEar {
  /** The server has said who it is. */
  greeted(server: Server, capabilities: Fields): void;
  /** The server is there, but nothing can be said to it. */
  failed(problem: string): void;
  lost(problem: string): void;
  refused(problem: string): void;
  /** What it offers has changed. */
  changed(): void;
  told(runId: string, news: News): void;
  /** The server asks something of a call that is under way (sessions only). */
  asked(runId: string, asked: AskedOnSession): void;
  /** It wants no answer to that any more. */
  withdrawn(requestId: RequestId): void;
  /** Somebody has been where a question sent them. */
  completed(elicitationId: string): void;
}

export interface AskedOnSession {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: Fields;
}
