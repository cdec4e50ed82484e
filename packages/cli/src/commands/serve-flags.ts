/** The flags that `photon serve` and `photon dev` share, by the groups of their help, and the options that they give. */
// isolatedDeclarations wants the types of these defaults written: hence `as string`.
import { defaultLimits, defaultTimes, type Limits } from "@photon/server";
import { UsageError } from "../errors.ts";
import { byCloseness } from "../flags/closest-match.ts";
import { commonFlags, type Flag, type FlagsOf, type Row, type Values } from "../flags/flags.ts";
import { isWholeNumber } from "../flags/parse.ts";
import { pagesUnavailableReason, parseAuth, parsePublicUrl } from "../serve/auth-options.ts";
import type { ServeOptions } from "../serve/serve.ts";
import type { Transports } from "../serve/transports.ts";

const toolFlags = {
  with: { type: "list", value: "pack", choices: ["elicit"], summary: "also serve built-in tools" },
} as const;

const transportFlags = {
  port: {
    type: "number",
    short: "p",
    value: "n",
    default: 3001,
    env: "PHOTON_PORT",
    summary: "the port to listen on; 0: any free port",
  },
  host: {
    type: "string",
    value: "host",
    default: "127.0.0.1",
    env: "PHOTON_HOST",
    summary: "the address to listen on",
  },
  name: { type: "string", value: "name", default: "photon", summary: "the name of the server" },
  idle: {
    type: "duration",
    value: defaultTimes.idle as string,
    default: defaultTimes.idle as string,
    summary: "close a session that is idle for so long",
  },
  grace: {
    type: "duration",
    value: "5s",
    default: "5s",
    summary: "how long a closing server waits for steps and finally blocks",
  },
} as const;

const accessFlags = {
  "auth-token": {
    type: "list",
    value: "name:token",
    env: "PHOTON_TOKEN",
    isSecret: true,
    summary: "require a bearer token, as name:token",
  },
  "no-auth": { type: "boolean", summary: "allow unauthenticated access" },
  "allow-host": { type: "list", value: "host", summary: "accept this Host header too" },
  "allow-origin": { type: "list", value: "origin", summary: "accept requests of web pages of this origin" },
  "public-url": { type: "string", value: "url", summary: "the URL of the server in links to its pages" },
} as const;

const questionFlags = {
  "ask-timeout": {
    type: "timeout",
    value: "5m",
    summary: "default time limit for a question; none: no limit",
  },
  "max-wait": {
    type: "duration",
    value: defaultTimes.maxWait as string,
    default: defaultTimes.maxWait as string,
    summary: "how long a call of 2026-07-28 waits for the answer to a question that has no time limit",
  },
  "when-unsupported": {
    type: "string",
    value: "what",
    choices: ["fail", "page", "relay"],
    default: "fail",
    summary: "how to ask a question that the client cannot show",
  },
  "min-reading-time": {
    type: "timeout",
    value: defaultTimes.minReadingTime as string,
    default: defaultTimes.minReadingTime as string,
    summary:
      "do not trust a decline or cancel that comes sooner: ask elsewhere if possible; none: every reply counts",
  },
  distrust: {
    type: "boolean",
    summary: "treat clients that appear to auto-dismiss questions as unable to show questions",
  },
  audit: {
    type: "string",
    value: "file",
    summary: "append each question with its answer to a file, as lines of JSON",
  },
} as const;

const storeFlags = {
  store: {
    type: "string",
    value: "address",
    env: "PHOTON_STORE",
    isSecret: true,
    summary: "store durable runs in sqlite:photon.db or redis://host; needs PHOTON_KEYS",
  },
} as const;

const LIMITS: Readonly<Record<keyof Limits, string>> = {
  runsPerSession: "running calls of one session",
  asksPerSession: "open questions of one session",
  messageBytes: "bytes of one message",
  messageValues: "values in one message, in all its objects and lists",
  messageKeys: "keys in one message, in all its objects",
  batch: "messages in one batch of 2025-03-26",
  connections: "connections to the port, WebSockets included",
  connectionsPerAddress: "connections of one network address, without WebSockets",
  sessions: "open sessions",
  sessionsPerPrincipal: "open sessions of one principal, or of one address if there are no tokens",
  bytes: "bytes of calls, unfinished messages, unread output and buffered events",
  bytesPerPrincipal: "those bytes of one principal",
  queueBytes: "bytes of output that a client has not read",
  events: "events of one session that are buffered for a reconnect",
  subscriptions: "resources that one client is notified of",
  statelessRequests: "running requests of 2026-07-28",
  statelessRequestsPerPrincipal: "running requests of 2026-07-28 of one principal",
  parked: "calls of 2026-07-28 that wait for answers",
  parkedPerPrincipal: "calls of one principal that wait for answers",
  roundsPerCall: "rounds of questions that a client of 2026-07-28 accepts in one call",
  stateBytes: "bytes of the state that a client carries between two requests",
  records: "records that a store keeps of one run",
  backgroundRuns: "running runs that continue without their clients after an answer in the inbox",
  backgroundRunsPerPrincipal: "such runs of one principal",
  outcomes: "results that are kept for repeated requests",
  outcomeBytes: "bytes of these results",
  pages: "open pages, each for one question",
  pagesPerPrincipal: "open pages of one principal",
  uploadBytes: "bytes of an uploaded file, unless its question says otherwise",
};

// The keys of an object literal of that type.
const limitNames = Object.keys(LIMITS) as readonly (keyof Limits)[];

const limitRows: readonly Row[] = limitNames.map((name) => ({
  usage: name,
  summary: `${LIMITS[name]} (default ${defaultLimits[name]})`,
}));

const limitFlags: { readonly limit: Flag & { readonly type: "list" } } = {
  limit: { type: "list", value: "name=n", summary: "change a limit", names: limitRows },
};

const logFlags = {
  "log-level": {
    type: "string",
    value: "level",
    choices: ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
    default: "info",
    env: "PHOTON_LOG_LEVEL",
    summary: "log from this level on",
  },
  "log-format": {
    type: "string",
    value: "format",
    choices: ["pretty", "json"],
    default: "pretty",
    env: "PHOTON_LOG_FORMAT",
    summary: "the format of logs on stderr",
  },
  verbose: { type: "boolean", summary: "show where an error was thrown" },
} as const;

type ServeFlags = {
  readonly Tools: typeof toolFlags;
  readonly Transports: typeof transportFlags;
  readonly Access: typeof accessFlags;
  readonly Questions: typeof questionFlags;
  readonly Durability: typeof storeFlags;
  readonly Limits: typeof limitFlags;
  readonly Output: typeof logFlags & Pick<typeof commonFlags, "help">;
};

export const serveFlags: ServeFlags = {
  Tools: toolFlags,
  Transports: transportFlags,
  Access: accessFlags,
  Questions: questionFlags,
  Durability: storeFlags,
  Limits: limitFlags,
  Output: { ...logFlags, help: commonFlags.help },
};

type ServeFlagValues = Values<FlagsOf<ServeFlags>>;

/** The options of a server from the flags of either command. */
export function parseServeFlags(
  values: ServeFlagValues,
  paths: readonly string[],
  transports: Transports,
): Omit<ServeOptions, "watch" | "clientFlags" | "playground"> {
  if (values.port > 65_535) throw new UsageError(`--port is at most 65535, not ${values.port}.`);
  const { name, port, host, idle, grace, maxWait, minReadingTime, distrust, whenUnsupported } = values;
  const { askTimeout, audit, store, logLevel, logFormat, verbose } = values;
  const pagesAt = values.publicUrl === undefined ? undefined : parsePublicUrl(values.publicUrl);
  // The client at stdin started the server, and needs no token.
  const listens = transports.http.length > 0;
  const auth = listens ? parseAuth(host, values.authToken, values.noAuth) : { noAuth: false };
  const publicUrl = pagesAt === undefined ? {} : { publicUrl: pagesAt.publicUrl };
  const problem = listens ? pagesUnavailableReason({ host, auth, settings: publicUrl }) : undefined;
  if (problem !== undefined && whenUnsupported === "page")
    throw new UsageError(`${problem}: add --auth-token name:token, or leave out --when-unsupported=page.`);
  return {
    paths,
    name,
    port,
    host,
    transports,
    auth,
    packs: values.with,
    http: {
      allowedHosts: [...values.allowHost, ...(pagesAt === undefined ? [] : [pagesAt.host])],
      allowedOrigins: values.allowOrigin,
    },
    settings: {
      limits: parseLimits(values.limit),
      idle,
      maxWait,
      ...(askTimeout === undefined ? {} : { askTimeout }),
      grace,
      whenUnsupported,
      minReadingTime,
      distrust,
      ...publicUrl,
    },
    ...(audit === undefined ? {} : { audit }),
    ...(store === undefined ? {} : { store }),
    log: { level: logLevel, format: logFormat, verbose },
  };
}

/** The limits that `--limit name=n` changes. */
function parseLimits(texts: readonly string[]): Partial<Limits> {
  const limits = new Map<string, number>();
  for (const text of texts) {
    const [, name = "", number] = /^([^=]*)(?:=([^]*))?$/.exec(text) ?? [];
    if (!limitNames.some((one) => one === name))
      throw new UsageError(
        `--limit has no name ${JSON.stringify(name)}; the names are ${byCloseness(name, limitNames).join(", ")}.`,
      );
    if (number === undefined || !isWholeNumber(number))
      throw new UsageError(
        `--limit ${name} is a whole number from 0, like --limit ${name}=100, not ${JSON.stringify(number ?? "")}.`,
      );
    if (limits.has(name)) throw new UsageError(`--limit ${name} is given more than once; give it once.`);
    limits.set(name, Number(number));
  }
  return Object.fromEntries(limits);
}
