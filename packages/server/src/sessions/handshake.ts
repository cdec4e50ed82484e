/** The handshake of a session: `initialize`, by which the client and the server agree on a revision. Pure. */
import type { Client } from "@photon/core";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type Params } from "../jsonrpc/messages.ts";
import { clientFrom } from "../protocol/client-info.ts";
import { declaresDetails } from "../protocol/question-metadata.ts";
import { type Features, featuresOf, negotiate, type Revision } from "../protocol/revisions.ts";
import type { Settings } from "../settings.ts";

export interface Handshake {
  readonly features: Features;
  readonly client: Client;
  /** The client declares `photon/questions`. */
  readonly wantsDetails: boolean;
}

export const createHandshake = (revision: Revision, client: Client, wantsDetails: boolean): Handshake => ({
  features: featuresOf(revision, client.can.url),
  client,
  wantsDetails,
});

/** The handshake with a client, in the revision that was chosen. */
export function handshakeWith(revision: Revision, { clientInfo, capabilities }: Params): Handshake {
  const declared = isRecord(capabilities) ? capabilities : {};
  return createHandshake(revision, clientFrom(clientInfo, declared), declaresDetails(declared));
}

const unknownClient = clientFrom(undefined, {});

/** What a session assumes before `initialize`. */
export const noHandshake = ({ maxRevision }: Settings): Handshake =>
  createHandshake(negotiate(undefined, maxRevision), unknownClient, false);

/** Parses the parameters of `initialize`, and chooses the revision. */
export function parseInitialize(params: Params, { maxRevision }: Settings): Handshake {
  const { protocolVersion } = params;
  if (typeof protocolVersion !== "string")
    throw new RpcError(INVALID_PARAMS, "protocolVersion must be a text.");
  return handshakeWith(negotiate(protocolVersion, maxRevision), params);
}
