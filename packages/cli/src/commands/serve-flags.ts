/** The flags of `photon serve`; what is about serving, `photon dev` has too. */
// isolatedDeclarations wants the types of these defaults written: hence `as string`.
import { defaultTimes } from "@photon/server";

/** `photon inbox` has it, too. */
export const storeFlags = {
  store: {
    type: "string",
    value: "address",
    env: "PHOTON_STORE",
    isSecret: true,
    summary: "where durable runs are kept: sqlite:photon.db, redis://host; it needs PHOTON_KEYS",
  },
} as const;

export const servingFlags = {
  port: {
    type: "number",
    short: "p",
    value: "n",
    default: 3001,
    env: "PHOTON_PORT",
    summary: "where to listen; 0: any port that is free",
  },
  host: {
    type: "string",
    value: "host",
    default: "127.0.0.1",
    env: "PHOTON_HOST",
    summary: "the address to listen on",
  },
  name: { type: "string", value: "name", default: "photon", summary: "what the server calls itself" },
  "ask-timeout": {
    type: "timeout",
    value: "5m",
    summary: "how long a question stays open that does not say; none: until it is answered",
  },
  "allow-host": { type: "list", value: "host", summary: "another name by which the server is reached" },
  "allow-origin": { type: "list", value: "origin", summary: "the origin of a web page that may call it" },
  idle: {
    type: "duration",
    value: defaultTimes.idle as string,
    default: defaultTimes.idle as string,
    summary: "how long a session may be idle before it is closed",
  },
  "max-wait": {
    type: "duration",
    value: defaultTimes.maxWait as string,
    default: defaultTimes.maxWait as string,
    summary: "how long a call of 2026-07-28 waits for an answer that has no timeout",
  },
  grace: {
    type: "duration",
    value: "5s",
    default: "5s",
    summary: "how long a closing server waits for steps and finally blocks",
  },
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
    summary: "how logs are written on stderr",
  },
} as const;

export const transportFlags = {
  transport: {
    type: "list",
    short: "t",
    value: "name",
    choices: ["stdio", "sse", "http", "websocket", "all"],
    default: "stdio",
    summary: "how clients come in",
  },
} as const;

export const serveOnlyFlags = {
  principal: {
    type: "string",
    value: "name",
    summary: "who the client at stdin is, by the name of a token; with one token, its bearer",
  },
  playground: { type: "boolean", summary: "serve a page at / to try the tools on, and to answer them" },
  watch: { type: "boolean", short: "w", summary: "reload when a tool file, or what it imports, has changed" },
  "print-config": { type: "boolean", summary: "print the JSON that common MCP clients want, and end" },
} as const;
