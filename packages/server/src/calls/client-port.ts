/**
 * `ClientPort`: the client's side of a call, as the run sees it: who it is, and where its notifications go. Questions do not pass
 * through it: `SessionClient.ask` and `ClientQuestions` of a stateless call ask them.
 */
import {
  type Capability,
  AskUnsupported,
  type Client,
  type Emit,
  MissingCapabilities,
  type Run,
  type Runnable,
  type RunOptions,
  type StepEvent,
  UrlRequired,
} from "@photon/core";
import type { Features } from "../protocol/revisions.ts";
import { MISSING_CAPABILITY, RpcError, URL_ELICITATION_REQUIRED } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";
import { capabilitiesFor } from "../protocol/elicitation.ts";

export interface ClientPort {
  readonly features: Features;
  readonly client: Client;
  readonly settings: Settings;
  /** The authenticated caller; "" without authentication. */
  readonly principal: string;
  /** The options of a run that depend on the client or the store. */
  options(definition: Runnable<never, unknown>): Pick<RunOptions, "runId" | "journal" | "trace" | "secrets">;
  /** Sends progress or a log. */
  emit(effect: Emit): void | Promise<void>;
  /** A step begins or ends: sent as a log of level debug. */
  step(event: StepEvent): void | Promise<void>;
  /** The run can be closed from now on. */
  onRunStarted(run: Run<unknown>): void;
  onRunEnded?(): void;
  /** How the last replies came, if not through the client. */
  readonly via?: "page" | "relay" | undefined;
  /** A note about the client for the result of a call that failed. */
  failureNote?(): string | undefined;
  /** Whether the user can be sent to a web address in the middle of a call, whose body then starts again. */
  readonly canOpenUrlMidCall: boolean;
  /** The protocol's own error for an error of the run, if there is one. */
  toProtocolError(error: unknown): RpcError | undefined;
}

/** The error of 2026-07-28 for a client that lacks a capability, with the capabilities to declare. */
export function missingCapability(
  error: unknown,
  /** The capability that each question would have needed, by its key. */
  lacking: ReadonlyMap<string, Capability> | undefined,
  canOpenUrl: boolean,
): RpcError | undefined {
  let missing: readonly (Capability | undefined)[] = [];
  if (error instanceof MissingCapabilities) ({ missing } = error);
  else if (error instanceof AskUnsupported) missing = [lacking?.get(error.id)];
  else if (error instanceof UrlRequired && !canOpenUrl) missing = ["url"];
  const required = missing.filter((capability) => capability !== undefined);
  if (required.length === 0 || !(error instanceof Error)) return undefined;
  return new RpcError(MISSING_CAPABILITY, error.message, { requiredCapabilities: capabilitiesFor(required) });
}

/** The error that sends the user to a web address first, for clients that support it. The client then calls again. */
export function urlRequired(error: unknown, features: Features, can: Client["can"]): RpcError | undefined {
  if (!(error instanceof UrlRequired) || !features.extendedElicitation || !can.url) return undefined;
  const elicitations = error.urls.map(({ message, url }) => ({
    mode: "url",
    elicitationId: crypto.randomUUID(),
    url,
    message,
  }));
  return new RpcError(URL_ELICITATION_REQUIRED, error.message, { elicitations });
}
