// Servers
export { createServer } from "./server.ts";
export type { ConnectOptions, ListenOptions, Mountable, PhotonServer, ServerOptions } from "./server.ts";
export { photonRouter } from "./express.ts";
export type { PhotonRouter } from "./express.ts";
export type { Listening } from "./app/listen.ts";
export type { HttpOptions, HttpTransport } from "./app/router.ts";
export type { Definitions } from "./catalog.ts";
export { elicitPack } from "./elicit-tools/index.ts";
export type { ElicitPackOptions } from "./elicit-tools/index.ts";
export { allow, answerDefaults, deny } from "./policies.ts";
export type { Rule } from "./policies.ts";
export type { Audit, AuditEntry } from "./audit.ts";
export { ClientMisreports } from "./client-trust.ts";
export { defaultTimes, escapeForLog } from "./settings.ts";
export type { ServerSettingsInput, Settings } from "./settings.ts";
export { defaultLimits } from "./limits.ts";
export type { Limits } from "./limits.ts";

// The inbox and stores
export { openInbox } from "./durable/inbox.ts";
export type {
  AnswerOptions,
  EndedRun,
  PrincipalFilter,
  Inbox,
  InboxOptions,
  InboxPage,
  InboxQuestion,
  ListOptions,
  WaitingRun,
  WaitOptions,
} from "./durable/inbox.ts";
export type { InboxReply } from "./durable/submit-answer.ts";
export { openStore, sqliteFileOf } from "./stores/open-store.ts";
export { parseKeys } from "./crypto/sealed-box.ts";
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

// Connections and messages
export type {
  AcceptConnection,
  ClientConnection,
  HandleStateless,
  MessageHandler,
  RequestContext,
  StatelessResponse,
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
export { revisions, sessionRevisions } from "./protocol/revisions.ts";
export type { Revision, SessionRevision } from "./protocol/revisions.ts";
export { isLoopback } from "./http/hosts.ts";

// Errors
export {
  AnswerRejected,
  AuthRequired,
  PathTaken,
  PlaygroundMissing,
  PortTaken,
  RecordsUnreadable,
  RunMoved,
  SecretInForm,
  StdioInUse,
  StoreDriverMissing,
  StoreUnavailable,
} from "./errors.ts";
export { DuplicateName, DuplicateUri, MissingName } from "./catalog.ts";
export { PageRefused } from "./pages/page.ts";
