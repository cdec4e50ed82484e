/** What the log of a run has in it, in the order it happened. */
import type { Client, Entry, Round, WhenUnsupported } from "@photon/core";
import type { Revision } from "../mcp/revisions.ts";
import { present } from "../present.ts";
import type { ErrorResponse, Params, RequestId, Wire } from "../rpc/message.ts";

/** The call that a run is of: enough to begin it again, anywhere. */
export interface Head {
  readonly method: string;
  /** What is called, for people. */
  readonly subject: string;
  /** What it was called with, and nothing that belongs to one request only. */
  readonly params: Params;
  readonly principal: string;
  readonly client: Client;
  readonly revision: Revision;
  /** The session it belongs to, if there is one that outlasts its connection. */
  readonly session?: SessionCall;
}

/** A call as one of a session's. */
interface SessionCall {
  readonly id: string;
  readonly request: RequestId;
  /** When it was made. */
  readonly at: number;
  readonly token?: RequestId | undefined;
}

/** What a run has come to. */
export type Ending = { readonly result: Wire } | { readonly error: ErrorResponse["error"] };

/**
 * `head` begins a log. `taken` says that answers were brought, by their digest: those who bring others come too late.
 * `again`: the body begins from the start, once somebody was where it wanted them first. `handed`: from here on it is no call
 * of its client's any more, which was given words in place of its result. `ending` ends it.
 */
export type LogRecord =
  | { readonly head: Head }
  | { readonly taken: string }
  | { readonly again: true }
  | { readonly handed: true }
  | { readonly ending: Ending }
  | Entry;

/** What of a run is open, for whoever looks through them. */
export interface OpenRound {
  readonly subject: string;
  readonly principal: string;
  readonly round: Round;
  /** How many records its log has, while this is open. */
  readonly length: number;
  /** Until when it can be answered, or told that it was too late. */
  readonly until: number;
  readonly revision: Revision;
  readonly session?: SessionCall;
  /** The process that has claimed the run. As long as that process lives, other processes leave the run to it. */
  readonly process?: string;
  /** When it was asked; when this was noted, without it. */
  readonly asked?: number;
  /** It stands in no log what was asked, nor what is answered: the body wants somebody elsewhere before it begins. */
  readonly isApart?: boolean;
  /** How it was handed over to a model, where its client could not be asked: only then may one go on with it. */
  readonly way?: Exclude<WhenUnsupported, "fail">;
  /** The keys of secrets that were given before, and are gone: what is replied to them, but themselves, can stand in no log. */
  readonly gone?: readonly string[];
  /** The run waits for a process and not for a person: it was answered, or a process works on it or has worked on it. */
  readonly isAnswered?: boolean;
}

/** What a call is made with, and no single request of it. */
export function ownParams({ name, uri, arguments: given }: Params): Params {
  return present({ name, uri, arguments: given });
}
