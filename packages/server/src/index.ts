export { createServer } from "./create-server.ts";
export type { LineOptions, ListenOptions, Mountable, PhotonServer, ServerOptions } from "./photon-server.ts";
export { photonRouter } from "./photon-router.ts";
export type { PhotonRouter } from "./photon-router.ts";
export type { Listening } from "./app/listen.ts";
export type { HttpOptions, HttpTransport } from "./app/router.ts";
export type { Definitions } from "./catalog.ts";
export { elicitPack } from "./elicit-tools/index.ts";
export type { ElicitPackOptions } from "./elicit-tools/index.ts";
export { SecretInForm } from "./elicit/secret-in-form.ts";
export { allow, answerDefaults, deny } from "./policies.ts";
export type { Rule } from "./policies.ts";
export type { Audit, AuditEntry } from "./audit.ts";
export { ClientMisreports } from "./suspicions.ts";
export { openInbox } from "./durable/inbox.ts";
export type { InboxOptions } from "./durable/inbox.ts";
export type {
  AnswerOptions,
  EndedRun,
  For,
  Inbox,
  InboxPage,
  InboxQuestion,
  ListOptions,
  WaitingRun,
  WaitOptions,
} from "./durable/inbox.ts";
export type { InboxReply } from "./durable/submit-answer.ts";
export { NotAnswered } from "./runs/not-answered.ts";
export { RecordsUnreadable } from "./runs/records-unreadable.ts";
export { RunMoved } from "./runs/run-moved.ts";
export { openStore } from "./stores/open-store.ts";
export { memoryStore } from "./stores/memory-store.ts";
export type { StoreClock } from "./stores/store.ts";
export type { Store } from "./stores/store.ts";
export { StoreMissing } from "./stores/store-missing.ts";
export { StoreUnavailable } from "./stores/store-unavailable.ts";
export { PageRefused } from "./pages/types.ts";
export { escapeForLog } from "./escape-for-log.ts";
export { defaultLimits, defaultTimes } from "./settings.ts";
export type { GivenSettings, Limits, Settings } from "./settings.ts";
export { revisions, sessionRevisions } from "./protocol/revisions.ts";
export type { Revision, SessionRevision } from "./protocol/revisions.ts";
export type { Answer, Caller, Exchange, Line, Open, Peer } from "./rpc/peer.ts";
export type {
  ErrorResponse,
  Message,
  Notification,
  Params,
  Request,
  RequestId,
  Response,
  ResultResponse,
} from "./jsonrpc/messages.ts";
export type { Transport, TransportSendOptions } from "./transports/sdk-transport.ts";
export { DuplicateName, MissingName } from "./registry.ts";
export { DuplicateUri } from "./unique-uris.ts";
export { AuthRequired } from "./http/auth-required.ts";
export { isLoopback } from "./http/hosts.ts";
export { PathTaken } from "./http/path-taken.ts";
export { PlaygroundMissing } from "./http/playground-missing.ts";
export { PortTaken } from "./http/port-taken.ts";
export { StdioTaken } from "./transports/stdio-taken.ts";
