import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { CallOptions } from "../commands/call-flags.ts";
import type { OpenHost } from "../run/terminal-host.ts";
import type { TerminalSession as Stage } from "../run/terminal-session.ts";
import type { HeldEmits } from "./held-emits.ts";
import type { Person } from "./person.ts";
import type { Silence } from "./silence.ts";
import type { Target } from "./target.ts";

/** What one `photon call` has at hand, once it is connected. */
export interface Calling {
  readonly client: Client;
  readonly target: Target;
  readonly options: CallOptions;
  readonly stage: Stage;
  readonly opened: OpenHost;
  readonly person: Person;
  /** What the server tells goes here. */
  readonly told: HeldEmits;
  readonly silence: Silence;
  /** How long requests may take that no person has a part in, and until when they are wanted. */
  readonly request: RequestOptions;
}
