/**
 * Serves the tools of files until somebody ends it.
 *
 *   1. Whatever cannot be done is found out before the first client comes in.
 *   2. stdout belongs to the protocol; all that is told goes to stderr.
 *   3. When the client at stdin has gone, so does the server. A stdin on which nobody ever spoke, as that of a
 *      service has it, ends nothing where there are other ways in.
 */
import {
  createServer,
  type ServerSettingsInput,
  type HttpOptions,
  type Listening,
  type PhotonServer,
} from "@photon/server";
import { version } from "../package-info.ts";
import type { CommandIO } from "../io.ts";
import type { Access } from "./access.ts";
import { bannerOf } from "./banner.ts";
import { cannotListen } from "./cannot-listen.ts";
import { Ending } from "./ending.ts";
import { errorEntry } from "./error-entry.ts";
import { hintsFor } from "./hints.ts";
import { keepStdout } from "./keep-stdout.ts";
import { openLog, type Log, type LogOptions } from "./log.ts";
import { whyNoPages } from "./no-pages.ts";
import { Offer } from "./offer.ts";
import type { PackName } from "./packs.ts";
import { openKept } from "./store.ts";
import { hearStrays } from "./strays.ts";
import { addressOf, type Transports } from "./transports.ts";

export interface ServeOptions {
  readonly paths: readonly string[];
  readonly name: string;
  readonly transports: Transports;
  readonly port: number;
  readonly host: string;
  /** Who the client at stdin is. */
  readonly principal?: string | undefined;
  /** Whether there is a page to try the tools on. */
  readonly playground: boolean;
  readonly watch: boolean;
  readonly access: Access;
  readonly packs: readonly PackName[];
  readonly http: Omit<HttpOptions, "transports" | "tokens">;
  readonly settings: ServerSettingsInput;
  /** The file that every question is written down in. */
  readonly audit?: string;
  /** Where durable runs are kept. */
  readonly store?: string;
  readonly log: Omit<LogOptions, "color">;
  /** The flags that a client which starts the server by itself gives it as well. */
  readonly kept: readonly string[];
}

export async function serveTools(options: ServeOptions, io: CommandIO): Promise<number> {
  const { errorOutput, env, cwd } = io;
  const color = errorOutput.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const log = openLog(errorOutput, { ...options.log, color });
  const offer = new Offer(log);
  const report = (error: unknown): void => log(errorEntry(error, offer.loaded.files));
  const kept = options.store === undefined ? undefined : await openKept(options.store, io);
  const server = createServer({
    ...options.settings,
    ...kept,
    ...options.http,
    tokens: options.access.tokens,
    name: options.name,
    report,
    ...(await auditIn(options, cwd, report)),
    log: ({ level, data }, tool) =>
      log({
        level,
        tool,
        ...(typeof data === "string" ? { message: data } : { message: JSON.stringify(data), data: { data } }),
      }),
  });
  const ending = new Ending(io.signals);
  const ignoreStrays = hearStrays(report, ending);
  const begin = async (): Promise<number> => {
    const giveBackStdout = options.transports.stdio ? keepStdout(io) : () => {};
    let listening: Listening | undefined;
    try {
      await offer.put(server, { ...options, cwd });
      if (ending.isAsked) return await ending.asked;
      listening = await listen(server, options);
    } finally {
      giveBackStdout();
    }
    if (ending.isAsked) return ending.asked;
    // A client that started this process has sent something already: it is answered first.
    const told = nextTurn().then(() => tell(options, io, offer, listening, log));
    const [code] = await Promise.all([clientAtStdin(server, options, io), told]);
    return code;
  };
  try {
    return await Promise.race([ending.asked, begin()]);
  } finally {
    await Promise.race([Promise.all([offer.close(), server.close()]), ending.insisted]);
    await Promise.race([kept?.store.close(), ending.insisted]);
    ending.close();
    ignoreStrays();
  }
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

async function auditIn(
  { audit }: ServeOptions,
  cwd: string,
  report: (error: unknown) => void,
): Promise<Pick<ServerSettingsInput, "audit">> {
  if (audit === undefined) return {};
  const { openAudit } = await import("./audit-file.ts");
  return { audit: openAudit(audit, cwd, report) };
}

async function listen(
  server: PhotonServer,
  { transports, port, host, playground, access: { noAuth } }: ServeOptions,
): Promise<Listening | undefined> {
  if (transports.http.length === 0) return undefined;
  try {
    return await server.listen({ port, host, transports: transports.http, playground, noAuth });
  } catch (error) {
    throw cannotListen(error, port, host);
  }
}

/** Settles with the exit code when the client at stdin has gone, if one was there. */
async function clientAtStdin(
  server: PhotonServer,
  { transports: { stdio, http }, principal }: ServeOptions,
  io: CommandIO,
): Promise<number> {
  if (stdio) {
    let hasSpoken = false;
    const served = server.stdio(principal === undefined ? {} : { principal });
    // Not before somebody reads it: a listener would set it flowing.
    io.input.once("data", () => {
      hasSpoken = true;
    });
    await served;
    if (hasSpoken || http.length === 0) return 0;
  }
  return new Promise(() => {});
}

function tell(
  options: ServeOptions,
  io: CommandIO,
  { loaded }: Offer,
  listening: Listening | undefined,
  log: Log,
): void {
  const { transports } = options;
  const places = transports.http.map(
    (transport) => [transport, addressOf(transport, listening?.url ?? "")] as const,
  );
  const page = options.playground ? [["playground", `${listening?.url}/`] as const] : [];
  const stdio = transports.stdio ? [["stdio", "stdin and stdout of this process"] as const] : [];
  log(
    bannerOf({
      version: version(),
      loaded,
      places: [...page, ...stdio, ...places],
      hints: hintsFor({ ...options, addresses: new Map(places) }, io),
    }),
  );
  const problem = listening === undefined ? undefined : whyNoPages(options);
  if (problem !== undefined)
    log({
      level: "warning",
      message: `${problem}: nobody is asked for secrets or files. Add --auth-token name:token.`,
    });
}
