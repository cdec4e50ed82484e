/**
 * An SDK server at the end of our transports: each client that connects gets a
 * server of its own.
 */
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import { type Message, parseMessage } from "../jsonrpc/messages.ts";
import type { AcceptConnection, ClientConnection } from "../connection.ts";
import type { Transport, TransportSendOptions } from "../transports/sdk-transport.ts";
import { endedOn, lowOf, type SdkServer } from "./sdk-session.ts";
import { Accounts } from "../accounts.ts";
import type { HttpApp, HttpOptions } from "../app/router.ts";
import { resolveSettings, type Settings } from "../settings.ts";
import type { Limits } from "../limits.ts";

/** Makes the server for one client. */
export type CreateSdkServer = () => SdkServer | Promise<SdkServer>;

/** Opens an SDK server for each client. One that cannot be made costs its client the line, and is reported. */
export function sdkOpen(
  create: CreateSdkServer,
  report: (error: unknown) => void = () => {},
): AcceptConnection {
  return (connection) => {
    const transport = new PeerTransport(connection);
    let server: SdkServer | undefined;
    const connect = async (): Promise<void> => {
      server = await create();
      await server.connect(transport);
    };
    connect().catch((error: unknown) => {
      report(error);
      void transport.close();
    });
    return {
      receive: (message) => transport.receive(message),
      async close() {
        await transport.close();
        // Not by the transport: a body may close its own server, and would wait for itself.
        if (server !== undefined) await endedOn(lowOf(server));
      },
    };
  };
}

/** The client at the other end of a line, as a `Transport` for the SDK's server. */
class PeerTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: Message) => void) | undefined;
  readonly #connection: ClientConnection;
  /** What came before the server was there to take it. */
  #early: Message[] | undefined = [];
  #isClosed = false;

  constructor(connection: ClientConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) this.onmessage?.(message);
    if (this.#isClosed) this.onclose?.();
  }

  async send(message: Message, options?: TransportSendOptions): Promise<void> {
    if (this.#isClosed) throw new Error("The client has hung up.");
    const isAnswer = !("method" in message);
    await this.#connection.send(message, isAnswer ? message.id : options?.relatedRequestId);
  }

  receive(value: unknown): void {
    const incoming = parseMessage(value);
    if (incoming.kind === "invalid") {
      const refusal = new RpcError(INVALID_REQUEST, `That is no message: ${incoming.problem}.`);
      void this.#connection.send(errorResponse(incoming.id, refusal), incoming.id);
    } else if (this.#early === undefined) this.onmessage?.(incoming.message);
    else this.#early.push(incoming.message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
    this.onclose?.();
  }
}

export interface ServeSdkOptions extends Omit<HttpOptions, "transports"> {
  /** Which ways in there are: both, without this. Streamable HTTP is the SDK's own. */
  readonly transports?: readonly ("sse" | "websocket")[];
  readonly limits?: Partial<Limits>;
  /** Hears of servers that could not be made. */
  readonly report?: Settings["report"];
}

/** Serves SDK servers over our WebSocket and SSE, to be mounted in an express app: one server for each client. */
export async function serveSdk(create: CreateSdkServer, options: ServeSdkOptions = {}): Promise<HttpApp> {
  const { limits, report, transports = ["sse", "websocket"], ...guards } = options;
  // Loaded here: whoever only mounts tools needs neither express nor ws.
  const { createHttpApp: openHttp } = await import("../app/router.ts");
  const settings = resolveSettings({ ...(limits && { limits }), ...(report && { report }) });
  const openOne = sdkOpen(create, settings.report);
  const accounts = new Accounts(settings.limits);
  const open: AcceptConnection = (connection) => {
    const line = openOne(connection);
    const account = connection.account ?? accounts.of(connection.principal ?? "");
    // Whoever opens it has looked whether there is room.
    account.openSession();
    let isOpen = true;
    return {
      receive: (message) => line.receive(message),
      async close() {
        if (isOpen) account.closeSession();
        isOpen = false;
        await line.close();
      },
    };
  };
  return openHttp({ accept: open, accounts }, settings, { ...guards, transports });
}
