import {
  type Capability,
  AskUnsupported,
  type Client,
  type Emit,
  MissingCapabilities,
  type OpenQuestion,
  type Reply,
  type Run,
  type Runnable,
  type RunOptions,
  type StepEvent,
  UrlRequired,
} from "@photon/core";
import type { Account } from "../accounts.ts";
import type { Features } from "../protocol/revisions.ts";
import { MISSING_CAPABILITY, RpcError, URL_ELICITATION_REQUIRED } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";
import { capabilitiesFor } from "../protocol/input-requests.ts";

/** The client's side of one call. */
export interface ClientPort {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  /** Whose call it is. */
  readonly principal: string;
  /** What it is counted for; the account of its principal, without this. */
  readonly account?: Account | undefined;
  /** Whether the client no longer waits for the call. */
  readonly isClosed: boolean;
  /** Whether the call runs without its client. */
  readonly hasNoClient?: boolean;
  /** What a run of something is started with, beside what every run is. */
  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets">;
  /** Shows what the body tells. */
  emit(effect: Emit): void | Promise<void>;
  /** Tells of a step, to a client that hears of everything. */
  step(news: StepEvent): void | Promise<void>;
  /** Whether a question can be put to the client. Not any more, once it did not show it and it can be asked elsewhere. */
  supports(question: OpenQuestion): boolean;
  /** Set where the call is handed over: whether a question that the client does not show can be asked in another way. */
  canAskElsewhere?: ((question: OpenQuestion) => boolean) | undefined;
  /** The client's reply to a question that is asked elsewhere instead. It counts if no page can be opened. */
  uncountedReply?(key: string): Reply | undefined;
  /** The run can be closed from now on. */
  onRunStarted(run: Run<unknown>): void;
  /** The run is over. */
  onRunEnded?(): void;
  /** How the last answers came, where that was not through the client. */
  readonly via?: "page" | "relay" | undefined;
  /** A note about the client for the result of a call that failed. */
  failureNote?(): string | undefined;
  /** Whether a person can be sent to a web address in the middle of a call, which then begins again. */
  readonly canOpenUrlMidCall: boolean;
  /** What the client is told of an error in words of the protocol's own, if it has any for it. */
  toProtocolError(error: unknown): RpcError | undefined;
}

/** What a client of 2026-07-28 is told where it lacks what a call needed: by its own error, and what to declare. */
export function missingCapability(
  error: unknown,
  /** What the client would have had to be able to do, by the key of the question. */
  lacking: ReadonlyMap<string, Capability> | undefined,
  visits: boolean,
): RpcError | undefined {
  const abilities = missingFor(error, lacking, visits).filter((ability) => ability !== undefined);
  if (abilities.length === 0 || !(error instanceof Error)) return undefined;
  return new RpcError(MISSING_CAPABILITY, error.message, {
    requiredCapabilities: capabilitiesFor(abilities),
  });
}

function missingFor(
  error: unknown,
  lacking: ReadonlyMap<string, Capability> | undefined,
  visits: boolean,
): readonly (Capability | undefined)[] {
  if (error instanceof MissingCapabilities) return error.missing;
  if (error instanceof AskUnsupported) return [lacking?.get(error.id)];
  return error instanceof UrlRequired && !visits ? ["url"] : [];
}

/** The error that sends the user to a web address first, for clients that support it. The client then calls again. */
export function urlRequired(error: unknown, features: Features, can: Client["can"]): RpcError | undefined {
  if (!(error instanceof UrlRequired) || !features.elicitation2511 || !can.url) return undefined;
  const elicitations = error.urls.map(({ message, url }) => ({
    mode: "url",
    elicitationId: crypto.randomUUID(),
    url,
    message,
  }));
  return new RpcError(URL_ELICITATION_REQUIRED, error.message, { elicitations });
}
