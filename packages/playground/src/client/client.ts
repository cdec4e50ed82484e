/** A connection to a server that has been greeted, in whichever revision. */
import type { Revision } from "../desk/connection.ts";
import type { Fault, RequestId } from "../wire/message.ts";
import type { Fields } from "../wire/record.ts";
import type { Call } from "./call-of.ts";
import type { Answer, LineEar } from "./line.ts";

/** What makes a call the continuation of an earlier one (2026-07-28). */
export interface Continuation {
  readonly requestState?: string;
  readonly inputResponses?: Fields;
}

interface AnyClient {
  greet(): void;
  /** Asks something that belongs to no run. */
  request(method: string, params: Fields): Promise<Answer>;
  /** Ends a call that is under way. */
  cancel(id: RequestId, runId: string): void;
  /** Ends the connection; what was under way is told that it broke. */
  close(): void;
  /** Ends it without a word to anybody here: the page goes. */
  leave(): void;
}

export interface ModernClient extends AnyClient {
  readonly revision: Extract<Revision, "2026-07-28">;
  call(call: Call, continuation: Continuation, runId: string, done: (answer: Answer) => void): RequestId;
}

export interface SessionClient extends AnyClient {
  readonly revision: Extract<Revision, "2025-11-25">;
  call(call: Call, runId: string, done: (answer: Answer) => void): RequestId;
  /** Answers what the server asked. */
  reply(id: RequestId, answer: { readonly result: Fields } | { readonly error: Fault }): void;
}

export type Client = ModernClient | SessionClient;

/** A client, and who is to listen to its line. */
export interface Opened<Kind extends Client> {
  readonly client: Kind;
  readonly hears: LineEar;
}
