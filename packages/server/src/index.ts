export { createServer } from "./server.ts";
export type { ConnectOptions, ListenOptions, Mountable, PhotonServer, ServerOptions } from "./server.ts";
export { photonRouter } from "./express.ts";
export type { PhotonRouter } from "./express.ts";
export type { Listening } from "./app/listen.ts";
export type { HttpOptions, HttpTransport } from "./app/router.ts";
export type { Definitions } from "./catalog.ts";
export { elicitPack } from "./elicit-tools/index.ts";
export type { ElicitPackOptions } from "./elicit-tools/index.ts";
export { SecretInForm } from "./errors.ts";
export { allow, answerDefaults, deny } from "./policies.ts";
export type { Rule } from "./policies.ts";
export type { Audit, AuditEntry } from "./audit.ts";
export { ClientMisreports } from "./client-trust.ts";
export { openInbox } from "./durable/inbox.ts";
export type { InboxOptions } from "./durable/inbox.ts";
export type {
  AnswerOptions,
  EndedRun,
  PrincipalFilter,
  Inbox,
  InboxPage,
  InboxQuestion,
  ListOptions,
  WaitingRun,
  WaitOptions,
} from "./durable/inbox.ts";
export type { InboxReply } from "./durable/submit-answer.ts";
export { AnswerRejected } from "./errors.ts";
export { RecordsUnreadable } from "./errors.ts";
export { RunMoved } from "./errors.ts";
export { openStore } from "./stores/open-store.ts";
export { memoryStore } from "./stores/memory-store.ts";
export type {
  AppendMeta,
  ListedEntry,
  ListPage,
  ListQuery,
  OpenEntry,
  Store,
  StoreClock,
} from "./stores/store.ts";
export { StoreDriverMissing } from "./errors.ts";
export { StoreUnavailable } from "./errors.ts";
export { PageRefused } from "./pages/types.ts";
export { escapeForLog } from "./settings.ts";
export { defaultTimes } from "./settings.ts";
export { defaultLimits } from "./limits.ts";
export type { ServerSettingsInput, Settings } from "./settings.ts";
export type { Limits } from "./limits.ts";
export { revisions, sessionRevisions } from "./protocol/revisions.ts";
export type { Revision, SessionRevision } from "./protocol/revisions.ts";
export type {
  StatelessResponse,
  RequestContext,
  HandleStateless,
  MessageHandler,
  AcceptConnection,
  ClientConnection,
} from "./connection.ts";
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
export { DuplicateName, MissingName } from "./catalog.ts";
export { DuplicateUri } from "./catalog.ts";
export { AuthRequired } from "./errors.ts";
export { isLoopback } from "./http/hosts.ts";
export { PathTaken } from "./errors.ts";
export { PlaygroundMissing } from "./errors.ts";
export { PortTaken } from "./errors.ts";
export { StdioInUse } from "./errors.ts";
