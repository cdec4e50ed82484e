/**
 * Starts a server from its options, and closes it.
 *
 *   1. Problems with the options are reported before the server accepts a client.
 *   2. stdout carries only the protocol; the log goes to stderr.
 *   3. The server closes when the client at stdin disconnects. With other transports, a stdin on which no message came
 *      (a service) does not close it.
 *   4. SIGTERM and SIGHUP close the server with exit code 0, SIGINT with 130. Closing runs the `finally` blocks of tools;
 *      a second signal ends the process without waiting for them.
 */
import { openSync, writeSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import {
  createServer,
  type Audit,
  type HttpOptions,
  type Listening,
  type PhotonServer,
  type ServerSettingsInput,
} from "@photon/server";
import { UsageError } from "../errors.ts";
import { type CommandIO, redirectStdout, version } from "../io.ts";
import { ShutdownSignals } from "../signals.ts";
import { hasColors } from "../terminal/colors.ts";
import { messageOf } from "../unknown.ts";
import { pagesUnavailableReason, type AuthOptions } from "./auth-options.ts";
import { errorEntry, handleUncaughtErrors, openLog, type Log, type LogOptions } from "./log.ts";
import { ServedDefinitions, type PackName } from "./served-definitions.ts";
import { hintsFor, startupMessage } from "./startup-message.ts";
import { openStoreWithKeys } from "./store.ts";
import { addressOf, listenError, type Transports } from "./transports.ts";

export interface ServeOptions {
  readonly paths: readonly string[];
  readonly name: string;
  readonly transports: Transports;
  readonly port: number;
  readonly host: string;
  /** The caller that the client at stdin is. */
  readonly principal?: string | undefined;
  /** Whether to serve the page where people try the tools. */
  readonly playground: boolean;
  readonly watch: boolean;
  readonly auth: AuthOptions;
  readonly packs: readonly PackName[];
  readonly http: Omit<HttpOptions, "transports" | "tokens">;
  readonly settings: ServerSettingsInput;
  /** The file of `--audit`. */
  readonly audit?: string;
  /** The address of the store for durable runs. */
  readonly store?: string;
  readonly log: Omit<LogOptions, "color">;
  /** The flags that a client adds when it starts the server itself. */
  readonly clientFlags: readonly string[];
}

export async function serveTools(options: ServeOptions, io: CommandIO): Promise<number> {
  const { errorOutput, env, cwd } = io;
  const log = openLog(errorOutput, { ...options.log, color: hasColors(errorOutput, env) });
  const definitions = new ServedDefinitions(log);
  const report = (error: unknown): void => log(errorEntry(error, definitions.loaded.files));
  const opened = options.store === undefined ? undefined : await openStoreWithKeys(options.store, io);
  const server = createServer({
    ...options.settings,
    ...opened,
    ...options.http,
    tokens: options.auth.tokens,
    name: options.name,
    report,
    ...(options.audit === undefined ? {} : { audit: openAudit(options.audit, cwd, report) }),
    log: ({ level, data }, tool) =>
      log({
        level,
        tool,
        ...(typeof data === "string" ? { message: data } : { message: JSON.stringify(data), data: { data } }),
      }),
  });
  const shutdown = new ShutdownSignals(io.signals);
  const ignoreUncaughtErrors = handleUncaughtErrors(report, shutdown);
  const start = async (): Promise<number> => {
    const stdout = options.transports.stdio ? redirectStdout(io) : undefined;
    let listening: Listening | undefined;
    try {
      await definitions.load(server, { ...options, cwd });
      if (shutdown.isRequested) return await shutdown.requested;
      listening = await listen(server, options);
    } finally {
      stdout?.restore();
    }
    if (shutdown.isRequested) return shutdown.requested;
    // A client that started this process has already sent a message: the server answers it first.
    const logged = nextTurn().then(() => logStart(options, io, definitions, listening, log));
    const [code] = await Promise.all([serveStdin(server, options, io), logged]);
    return code;
  };
  try {
    return await Promise.race([shutdown.requested, start()]);
  } finally {
    await Promise.race([Promise.all([definitions.close(), server.close()]), shutdown.forced]);
    await Promise.race([opened?.store.close(), shutdown.forced]);
    shutdown.close();
    ignoreUncaughtErrors();
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** `--audit`: a file with one line of JSON for each answered question, which only its owner may read. */
function openAudit(path: string, cwd: string, report: (error: unknown) => void): Audit {
  const file = openForAppending(path, cwd);
  return ({ at, ...entry }) => {
    try {
      // Synchronous: the line is in the file before the tool continues with the answer.
      writeSync(file, `${JSON.stringify({ time: new Date(at).toISOString(), ...entry })}\n`);
    } catch (error) {
      // The call continues.
      report(error);
    }
  };
}

function openForAppending(path: string, cwd: string): number {
  try {
    return openSync(resolvePath(cwd, path), "a", 0o600);
  } catch (error) {
    throw new UsageError(`The audit cannot be written to ${path} (${messageOf(error)}).`, { cause: error });
  }
}

async function listen(
  server: PhotonServer,
  { transports, port, host, playground, auth: { noAuth } }: ServeOptions,
): Promise<Listening | undefined> {
  if (transports.http.length === 0) return undefined;
  try {
    return await server.listen({ port, host, transports: transports.http, playground, noAuth });
  } catch (error) {
    throw listenError(error, port, host);
  }
}

/** Resolves with the exit code when the client at stdin has disconnected. Without one, it never resolves. */
async function serveStdin(
  server: PhotonServer,
  { transports: { stdio, http }, principal }: ServeOptions,
  io: CommandIO,
): Promise<number> {
  if (stdio) {
    let hasReceived = false;
    const served = server.stdio(principal === undefined ? {} : { principal });
    // After `stdio()`: a listener sets the stream flowing.
    io.input.once("data", () => {
      hasReceived = true;
    });
    await served;
    if (hasReceived || http.length === 0) return 0;
  }
  return new Promise(() => {});
}

function logStart(
  options: ServeOptions,
  io: CommandIO,
  { loaded }: ServedDefinitions,
  listening: Listening | undefined,
  log: Log,
): void {
  const { transports } = options;
  const addresses = transports.http.map(
    (transport) => [transport, addressOf(transport, listening?.url ?? "")] as const,
  );
  const page = options.playground ? [["playground", `${listening?.url}/`] as const] : [];
  const stdio = transports.stdio ? [["stdio", "stdin and stdout of this process"] as const] : [];
  log(
    startupMessage({
      version: version(),
      loaded,
      addresses: [...page, ...stdio, ...addresses],
      hints: hintsFor({ ...options, addresses: new Map(addresses) }, io),
    }),
  );
  const problem = listening === undefined ? undefined : pagesUnavailableReason(options);
  if (problem !== undefined)
    log({
      level: "warning",
      message: `${problem}: tools cannot ask for secrets or files. Add --auth-token name:token.`,
    });
}
